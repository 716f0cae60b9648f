// How many cycles there were, and how long they took.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "component/views/views.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

class CycleTimes {
 public:
  /// Call it once for each cycle, at its end.
  void add(std::chrono::nanoseconds took) {
    ++cycles_;
    last_seconds_ = std::chrono::duration<double>(took).count();
    ++durations_.counts.at(stats::histogram_bucket(static_cast<std::uint64_t>(took.count())));
    durations_.sum += *last_seconds_;
  }

  void append(std::vector<stats::Series>& out) const {
    out.push_back({&stats::stat(stats::StatId::kCYCLE_DURATION), {}, durations_});
  }
  void report(api::CountStatus& status) const {
    status.cycles = cycles_;
    status.last_cycle_seconds = last_seconds_;
  }

 private:
  std::uint64_t cycles_ = 0;
  std::optional<double> last_seconds_;
  stats::HistogramValue durations_;
};

}  // namespace flowtap
