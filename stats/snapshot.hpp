// What a cycle hands to the backends: the totals of all series at one instant.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "stats/table.hpp"

namespace flowtap::stats {

/// Totals since the start of flowtapd. `sum` is in the family's unit (seconds), not in slot units.
struct HistogramValue {
  /// counts[i] holds values <= histogram_edge(i) that fit no lower bucket; the last one everything larger.
  std::array<std::uint64_t, FTAP_HIST_BUCKETS + 1> counts{};
  double sum = 0;

  bool operator==(const HistogramValue&) const = default;
};

/// Upper edge of bucket i in seconds, inclusive, as Prometheus' `le`. `widened`: Stat::widened.
double histogram_edge(std::size_t i, unsigned widened = 0);

/// Bucket of a value in nanoseconds: ftap_log2_bucket(), as in the kernel.
std::size_t histogram_bucket(std::uint64_t ns, unsigned widened = 0);

/// Exact counts stay integers; what is measured in userspace is a double.
using Value = std::variant<std::uint64_t, double, HistogramValue>;

/// One series: a stat with all its label values, in the order of its family's label keys.
struct Series {
  const Stat* stat;
  std::vector<std::string> labels;
  Value value;
};

/// Immutable once published. Counters and histograms are totals since `start` and never go back within one
/// snapshot sequence; a backend that needs deltas keeps what it last sent itself, so that a failed send loses
/// nothing.
struct Snapshot {
  std::uint64_t cycle = 0;                       ///< 1 for the first
  std::chrono::system_clock::time_point start;   ///< when counting began, at 0
  std::chrono::system_clock::time_point time;    ///< when the slots were read
  std::chrono::steady_clock::time_point steady;  ///< the same instant, for rates
  std::vector<Series> series;                    ///< series of one family stand together, in table order
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace flowtap::stats
