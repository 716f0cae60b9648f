// A snapshot under the names of other exporters (compat.def), for those who have dashboards and rules with these.
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

/// By a name of compat.def and its labels, in millionths to be added: those of a sum that loses something wrap.
using SumsByLabels = std::map<std::pair<std::string_view, LabelPairs>, std::uint64_t>;

/// What names of others need and a snapshot alone does not tell (history.hpp).
struct Past {
  std::string host{};  ///< this machine's name
  std::shared_ptr<const Instances>
      instances{};             ///< what each workload was last, of those that the snapshot has
  SumsByLabels ended{};        ///< what is in a sum of series that are not there now
  std::vector<Family> made{};  ///< of Kepler: what is in no row of compat.def
};

/// Families that have samples, each once, in the order of compat.def; then those that were made.
[[nodiscard]] std::vector<Family> families(const Snapshot& snapshot, const std::vector<Exporter>& exporters,
                                           const Past& past = {});

}  // namespace flowtap::stats::compat
