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
  /// To be called once for each cycle, at its end.
  void add(std::chrono::nanoseconds took);

  void append(std::vector<stats::Series>& out) const;
  void report(api::CountStatus& status) const;

 private:
  std::uint64_t cycles_ = 0;
  std::optional<double> last_seconds_;
  stats::HistogramValue durations_;
};

}  // namespace flowtap
