// Lets a thread sleep until another thread wakes it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace flowtap {

/// Safe from any thread. Only one thread waits.
class Bell {
 public:
  using Clock = std::chrono::steady_clock;

  /// Wakes the thread that waits, or lets its next wait return at once.
  void ring() {
    const std::scoped_lock lock(mutex_);
    rung_ = true;
    told_.notify_one();
  }

  /// Ends all waiting for good.
  void stop() {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    told_.notify_one();
  }

  /// Waits until it rings, or until this time. False: the thread is to stop.
  [[nodiscard]] bool wait(std::optional<Clock::time_point> until) {
    std::unique_lock lock(mutex_);
    const auto is_told = [this] { return rung_ || stop_; };
    if (until)
      told_.wait_until(lock, *until, is_told);
    else
      told_.wait(lock, is_told);
    rung_ = false;
    return !stop_;
  }
  [[nodiscard]] bool wait(Clock::duration most) { return wait(Clock::now() + most); }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  bool rung_ = false;
  bool stop_ = false;
};

}  // namespace flowtap
