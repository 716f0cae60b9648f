// Whether whoever works something off still gets on.
#pragma once

#include <chrono>
#include <cstdint>

namespace flowtap {

/// On a machine that is busy, a share of the work takes as long as it takes; only work that stands still is given up.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(Clock::duration patience, Clock::time_point now) : patience_(patience), moved_(now) {}

  /// @param done  how far it is by now: any number that changes when something was done
  bool goes_on(std::uint64_t done, Clock::time_point now) {
    if (done != done_) moved_ = now;
    done_ = done;
    return now - moved_ < patience_;
  }

 private:
  Clock::duration patience_;
  Clock::time_point moved_;
  std::uint64_t done_ = 0;
};

}  // namespace flowtap
