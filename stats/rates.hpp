// What happened between two readings of the totals: rates, shares, quantiles. Pure functions over values, so
// that the terminal backend (from snapshots) and the CLI (from the API's JSON) show the same numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/snapshot.hpp"

namespace flowtap::stats {

/// Dispatches of one type since the start of flowtapd.
struct TypeTotal {
  std::string type;
  std::uint64_t total = 0;
};

/// The totals of one scheduler at one instant. `types` are in the order of the stats table.
struct SchedulerTotals {
  std::string scheduler;
  std::vector<TypeTotal> types;
  std::optional<HistogramValue> latency;  ///< run-queue latency; absent when it is not counted
};

/// What one type did in an interval.
struct TypeRate {
  std::string type;
  std::uint64_t count = 0;  ///< dispatches in the interval
  double rate = 0;          ///< per second; 0 for an interval of no length
  double share = 0;         ///< of all dispatches of this scheduler, 0..1; 0 when there was none
};

/// What one scheduler did in an interval. The quantiles are upper edges of their buckets in seconds: at least this
/// share of the tasks waited no longer. Absent if nothing was measured; infinite above the largest edge.
struct SchedulerRates {
  std::string scheduler;
  std::vector<TypeRate> types;  ///< in the order of the totals, including those that did nothing
  std::uint64_t count = 0;
  double rate = 0;
  std::optional<double> latency_p50;
  std::optional<double> latency_p99;
};

/// Those of this scheduler; it joins at the end if it is not among them yet.
[[nodiscard]] SchedulerTotals& totals_of(std::vector<SchedulerTotals>& all, std::string_view scheduler);

/// Dispatch totals and latency by scheduler, in the order in which the snapshot names the schedulers.
[[nodiscard]] std::vector<SchedulerTotals> scheduler_totals(const Snapshot& snapshot);

/// Rates of each scheduler in `after`. A scheduler or type that `before` does not have began at 0. If one total went
/// back, flowtapd was restarted in between, and all of that scheduler's types began at 0.
[[nodiscard]] std::vector<SchedulerRates> scheduler_rates(std::span<const SchedulerTotals> before,
                                                          std::span<const SchedulerTotals> after,
                                                          double seconds);

/// Rates and shares of one scheduler's types; missing and falling totals are treated as in scheduler_rates().
[[nodiscard]] std::vector<TypeRate> type_rates(std::span<const TypeTotal> before,
                                               std::span<const TypeTotal> after, double seconds);

/// Upper edge (seconds) of the bucket that holds the quantile `q` in (0, 1] of the values that were added between the
/// two.
[[nodiscard]] std::optional<double> quantile(const HistogramValue& before, const HistogramValue& after,
                                             double q);

}  // namespace flowtap::stats
