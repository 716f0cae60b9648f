// What a collector gave, by name.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

inline std::string series_name(const stats::Series& series) {
  const stats::Family& family = stats::family(series.stat->family);
  std::string name(family.name);
  if (series.labels.size() != stats::label_count(family.labels))
    throw std::runtime_error(name + " has other labels than its row");
  for (std::size_t i = 0; i < series.labels.size(); ++i)
    (name += i == 0 ? '{' : ',')
        .append(stats::label_key(family.labels, i))
        .append("=")
        .append(series.labels[i]);
  return name + (series.labels.empty() ? "" : "}");
}

/// By "name{key=value,...}" without "flowtap_node_". Throws where a series comes twice, or has other labels than its row.
inline std::map<std::string, double> by_name(const Collected& collected) {
  std::map<std::string, double> all;
  for (const stats::Series& series : collected.series) {
    const auto* whole = std::get_if<std::uint64_t>(&series.value);
    const double value = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(series.value);
    const std::string name = series_name(series).substr(std::string("flowtap_node_").size());
    if (!all.emplace(name, value).second) throw std::runtime_error(name + " comes twice");
  }
  return all;
}

inline Collected collected_by(Collector& collector) {
  Collected out;
  collector.collect(out);
  return out;
}

}  // namespace flowtap::telemetry
