#include "stats/table.hpp"

#include <algorithm>

#include "stats/rows.hpp"

namespace flowtap::stats {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kCounter:
      return "counter";
    case Kind::kGauge:
      return "gauge";
    case Kind::kHistogram:
      return "histogram";
  }
  return {};
}

std::span<const Family> families() {
  return kFamilies;
}
std::span<const Stat> all_stats() {
  return kStats;
}

std::span<const Stat> slot_stats() {
  const auto* end = std::ranges::find_if(kStats, [](const Stat& s) { return !s.slot; });
  return {kStats.begin(), end};
}

const Family& family(FamilyId id) {
  return kFamilies.at(static_cast<std::size_t>(id));
}
const Stat& stat(StatId id) {
  return kStats.at(static_cast<std::size_t>(id));
}
const Stat& first_stat(FamilyId id) {
  return *std::ranges::find_if(kStats, [id](const Stat& s) { return s.family == id; });
}

}  // namespace flowtap::stats
