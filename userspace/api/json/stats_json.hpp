// The body of /api/v1/stats, written and read: both sides of the wire in one place.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stats/rates.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::api {

/// All families of the table with their descriptors, and the series that the snapshot has of each:
///   {"cycle", "start_seconds", "time_seconds", "families": [{"name", "kind", "unit", "help", "labels":
///   [key...],
///    "series": [{"labels": {key: value}, "total"}]}]}
/// Gauges have "value" instead of "total". Histograms have "total" (number of values), "sum" and "buckets":
/// [{"le", "total"}], cumulative as Prometheus has them, without the last one, which is the total.
[[nodiscard]] std::string stats_to_json(const stats::Snapshot& snapshot);

/// The totals that a client needs to show rates.
struct StatsReading {
  std::uint64_t cycle = 0;
  std::chrono::duration<double> time{};  ///< when the totals were read, since the epoch
  std::vector<stats::SchedulerTotals> schedulers;
};
[[nodiscard]] Result<StatsReading> stats_from_json(std::string_view json);

}  // namespace flowtap::api
