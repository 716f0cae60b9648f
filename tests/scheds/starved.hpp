// What no scheduler can prevent.
#pragma once

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/bpf/stage.hpp"
#include "tests/scheds/hog.hpp"

namespace flowtap::test {

/// While this lives a task of a higher class keeps CPU 1, and a task that is bound to that CPU waits. The caller is
/// bound to CPU 0 meanwhile: kept from CPU 1 in the middle of a fork, it would hold what the kernel needs to end a
/// scheduler.
class Starved {
 public:
  Starved() {
    no_throttling();
    // Kernels >= 7 reserve a part of each CPU for sched_ext against tasks of higher classes.
    std::ofstream("/sys/kernel/debug/sched/ext_server/cpu1/runtime") << 0 << std::flush;
    allow(0, {0});
    hog_ = std::jthread([this] {
      allow(0, {1});
      rank(0, kHog);
      while (!stop_) relax();
    });
    cue_ = std::jthread([this] { victim_.hold(); });
  }
  Starved(const Starved&) = delete;
  Starved& operator=(const Starved&) = delete;
  ~Starved() {
    stop_ = true;
    allow(0, before_);
  }

 private:
  const Cpus before_ = online_cpus();
  std::atomic<bool> stop_ = false;
  Hog victim_{{1}};
  std::jthread hog_;
  std::jthread cue_;
};

}  // namespace flowtap::test
