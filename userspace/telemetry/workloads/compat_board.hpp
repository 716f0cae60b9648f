// The way of series for other exporters' names from their collector to the snapshot.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "stats/snapshot.hpp"

namespace flowtap::telemetry {

/// What was read since the last take(). Thread-safe.
class CompatBoard {
 public:
  void post(std::vector<stats::Series> series) {
    const std::scoped_lock lock(mutex_);
    series_ = std::move(series);
  }
  /// Empty where nothing was posted: the collector is late, and its last values are old.
  [[nodiscard]] std::vector<stats::Series> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(series_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<stats::Series> series_;
};

}  // namespace flowtap::telemetry
