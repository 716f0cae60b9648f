// A snapshot under the names of other exporters (compat.def), for dashboards and rules that use these names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/compat/labels.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::stats::compat {

enum class Exporter : std::uint8_t { kCADVISOR, kNODE, kKEPLER, kDCGM };

/// Parses a list such as "cadvisor,node,kepler,dcgm", in any order; empty: none. Absent: one of the names is not known.
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

/// Amounts to add, by a name of compat.def and its labels, in millionths; where a sum has to become smaller, they wrap.
using SumsByLabels = std::map<std::pair<std::string_view, LabelPairs>, std::uint64_t>;

/// What other exporters' names need beyond one snapshot (history.hpp).
struct Past {
  std::string host{};  ///< this machine's name
  std::shared_ptr<const Instances>
      instances{};             ///< the last known container of each workload in the snapshot
  SumsByLabels ended{};        ///< the share of sums that came from series which are gone
  std::vector<Family> made{};  ///< Kepler's families that are in no row of compat.def
};

/// The families that have samples, each once, in the order of compat.def; then Around::made.
[[nodiscard]] std::vector<Family> families(const Snapshot& snapshot, const std::vector<Exporter>& exporters,
                                           const Past& past = {});

}  // namespace flowtap::stats::compat
