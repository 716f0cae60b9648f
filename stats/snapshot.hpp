// A snapshot, which each cycle hands to the backends: the totals of all series at one instant.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stats/table.hpp"

namespace flowtap::stats {

/// Totals since the start of flowtapd. `sum` is in the family's unit (seconds), not in slot units.
struct HistogramValue {
  /// counts[i] holds values <= histogram_edge(i) that fit no lower bucket; the last one holds everything larger.
  std::array<std::uint64_t, FTAP_HIST_BUCKETS + 1> counts{};
  double sum = 0;

  bool operator==(const HistogramValue&) const = default;
};

/// A histogram's value in a series. It is behind a pointer, as most of the many series have none.
class Histogram {
 public:
  Histogram(const HistogramValue& value) : value_(std::make_shared<const HistogramValue>(value)) {}
  [[nodiscard]] const HistogramValue& operator*() const { return *value_; }
  [[nodiscard]] const HistogramValue* operator->() const { return value_.get(); }
  bool operator==(const Histogram& other) const { return *value_ == *other.value_; }

 private:
  std::shared_ptr<const HistogramValue> value_;  // never null
};

/// Upper edge of bucket i in seconds, inclusive like Prometheus' `le`. `widened`: see Stat::widened.
double histogram_edge(std::size_t i, unsigned widened = 0);

/// Bucket of a value in nanoseconds, by ftap_log2_bucket(), as in the kernel.
std::size_t histogram_bucket(std::uint64_t ns, unsigned widened = 0);

/// Exact counts stay integers; values that are measured in userspace are doubles.
using Value = std::variant<std::uint64_t, double, Histogram>;

/// Null if the value is not a histogram.
inline const HistogramValue* histogram_in(const Value& value) {
  const auto* histogram = std::get_if<Histogram>(&value);
  return histogram != nullptr ? &**histogram : nullptr;
}

/// Label values, in the order of the family's keys. Copies share the values, as the dozens of series of a workload have
/// the same ones.
class Labels {
 public:
  Labels() = default;
  Labels(std::vector<std::string> values)
      : values_(values.empty() ? nullptr
                               : std::make_shared<const std::vector<std::string>>(std::move(values))) {}
  Labels(std::initializer_list<std::string> values) : Labels(std::vector<std::string>(values)) {}

  operator std::span<const std::string>() const { return {begin(), end()}; }
  [[nodiscard]] const std::string* begin() const { return values_ ? values_->data() : nullptr; }
  [[nodiscard]] const std::string* end() const { return begin() + size(); }
  [[nodiscard]] std::size_t size() const { return values_ ? values_->size() : 0; }
  [[nodiscard]] bool empty() const { return !values_; }
  [[nodiscard]] const std::string& operator[](std::size_t i) const { return (*values_)[i]; }
  [[nodiscard]] const std::string& back() const { return values_->back(); }
  bool operator==(const Labels& other) const {
    return values_ == other.values_ || std::ranges::equal(*this, other);
  }

 private:
  std::shared_ptr<const std::vector<std::string>> values_;  // null if there are none
};

/// One series: a stat with all its label values, in the order of its family's label keys.
struct Series {
  const Stat* stat;
  Labels labels;
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
  /// When the values of workloads were read, which may be some cycles ago; absent: there are none.
  std::optional<std::chrono::steady_clock::time_point> measured;
  std::vector<Series> series;  ///< series of one family stand together, in table order
  /// Series that are only shown under the names of other exporters (compat/), in any order: those of cgroups around
  /// workloads, which `series` would count twice, and limits that do not exist, as 0.
  std::vector<Series> for_compat{};
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace flowtap::stats
