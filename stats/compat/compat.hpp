// A snapshot under the names of other exporters (compat.def), for those who have dashboards and rules with these.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "stats/compat/labels.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::stats::compat {

enum class Exporter : std::uint8_t { kCADVISOR, kNODE, kKEPLER, kDCGM };

/// Of "cadvisor,node,kepler,dcgm", in any order; empty: none. Absent: one of them is not known.
[[nodiscard]] std::optional<std::vector<Exporter>> parse_exporters(std::string_view text);

struct Sample {
  LabelPairs labels;
  double value = 0;
};
struct Family {
  std::string_view name;
  std::string_view help;
  Kind kind = Kind::kCounter;
  std::vector<Sample> samples;
};

/// Families that have samples, each once, in the order of compat.def.
[[nodiscard]] std::vector<Family> families(const Snapshot& snapshot, const std::vector<Exporter>& exporters);

}  // namespace flowtap::stats::compat
