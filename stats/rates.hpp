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

/// What is known of one scheduler at one instant. `types` in the order of the stats table.
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

/// What one scheduler did in an interval. The quantiles are upper edges of their buckets in seconds: at least
/// that part of the tasks waited no longer. Absent when nothing was measured; infinite above the largest
/// edge.
struct SchedulerRates {
  std::string scheduler;
  std::vector<TypeRate> types;  ///< in the order of the totals, those that did nothing included
  std::uint64_t count = 0;
  double rate = 0;
  std::optional<double> latency_p50;
  std::optional<double> latency_p99;
};

/// Dispatch totals and latency by scheduler, in the order in which the snapshot names the schedulers.
[[nodiscard]] std::vector<SchedulerTotals> scheduler_totals(const Snapshot& snapshot);

/// Rates of each scheduler in `after`. A scheduler or type that `before` does not have counted from 0; so did
/// all of a scheduler's types when one total went back, because flowtapd was started again in between.
[[nodiscard]] std::vector<SchedulerRates> scheduler_rates(std::span<const SchedulerTotals> before,
                                                          std::span<const SchedulerTotals> after,
                                                          double seconds);

/// Rates and shares of one scheduler's types; the rule for missing and falling totals is that of
/// scheduler_rates().
[[nodiscard]] std::vector<TypeRate> type_rates(std::span<const TypeTotal> before,
                                               std::span<const TypeTotal> after, double seconds);

/// Upper edge (seconds) of the bucket that holds the quantile `q` in (0, 1] of what was added between the
/// two.
[[nodiscard]] std::optional<double> quantile(const HistogramValue& before, const HistogramValue& after,
                                             double q);

}  // namespace flowtap::stats
