// A thread that keeps its CPUs from being idle for as long as it is told to, and sleeps otherwise.
#pragma once

#include <atomic>
#include <thread>

#include "base/threads/thread_nice.hpp"
#include "tests/bpf/stage.hpp"

namespace flowtap::test {

class Hog {
 public:
  explicit Hog(const Cpus& cpus, int nice = 0)
      : thread_([this, cpus, nice](const std::stop_token& stop) { spin(cpus, nice, stop); }) {}
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;
  ~Hog() {
    thread_.request_stop();
    rest();
    cue_.store(kQuit);
    cue_.notify_one();
  }

  /// It runs on one of its CPUs when this returns.
  void hold() {
    cue_.store(kHold);
    cue_.notify_one();
    for (const int before = turns_; turns_ == before;) std::this_thread::yield();
  }
  void rest() { cue_.store(kRest); }

 private:
  static constexpr int kRest = 0;
  static constexpr int kHold = 1;
  static constexpr int kQuit = 2;

  void spin(const Cpus& cpus, int nice, const std::stop_token& stop) {
    allow(0, cpus);
    const ThreadNice wanted(nice);
    while (!stop.stop_requested()) {
      cue_.wait(kRest);
      while (cue_ == kHold) {
        ++turns_;
        relax();
      }
    }
  }

  std::atomic<int> cue_ = kRest;
  std::atomic<int> turns_ = 0;
  std::jthread thread_;
};

}  // namespace flowtap::test
