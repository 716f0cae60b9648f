// Numbers as the files of cgroups write them.
#pragma once

#include <limits>
#include <string_view>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/workloads/files/cgroup_values.hpp"

namespace flowtap::telemetry {

/// `value` in a finer unit, if it fits.
inline std::optional<std::uint64_t> finer(std::optional<std::uint64_t> value, std::uint64_t factor) {
  if (!value || *value > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return *value * factor;
}

/// A counter that follows `key`; its unit is `factor` nanoseconds.
struct CounterKey {
  std::string_view key;
  CgroupCounter to;
  std::uint64_t factor = 1;
};
/// A gauge that follows `key`.
struct GaugeKey {
  std::string_view key;
  CgroupGauge to;
};

/// A "flat keyed" file: a key and a number in each line.
inline bool parse_keys(std::string_view text, std::span<const CounterKey> counters,
                       std::span<const GaugeKey> gauges, CgroupValues& out) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    for (const CounterKey& known : counters) {
      if (key != known.key) continue;
      out[known.to] = finer(whole_number(next_word(line)), known.factor);
      if (!out[known.to]) return false;
    }
    for (const GaugeKey& known : gauges) {
      if (key != known.key) continue;
      out[known.to] = whole_number(next_word(line));
      if (!out[known.to]) return false;
    }
  }
  return true;
}

/// The only number of a file.
inline bool parse_number(std::string_view text, std::optional<double>& to) {
  std::string_view line = next_line(text);
  to = whole_number(next_word(line));
  return to && line.empty() && text.empty();
}

/// The same, or "max", which stands for none.
inline bool parse_limit(std::string_view text, std::optional<double>& to) {
  if (text != "max\n") return parse_number(text, to);
  to = kUnlimited;
  return true;
}

}  // namespace flowtap::telemetry
