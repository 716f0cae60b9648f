// The count path as one component: programs in the kernel, slots, and the places of the CPUs.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/dispatch_programs.hpp"
#include "stats/slot_source.hpp"

namespace flowtap {

class CountPath {
 public:
  /// Loads and attaches the dispatch programs. `host_root` is where the node's /sys is found.
  [[nodiscard]] static Result<std::unique_ptr<CountPath>> start(const std::string& host_root);

  /// Adds what was counted since the last call.
  void take(stats::SlotCounts& counts);

  /// Tries again for the tasks whose record could not be made, with growing pauses while that goes on.
  [[nodiscard]] Status mend_records();

  /// The sched_ext scheduler that runs now; empty without one.
  [[nodiscard]] std::string ext_scheduler() const;

  /// Tells the programs when CPUs came or went. An Error: sysfs could not be read, and the old places hold.
  [[nodiscard]] Status follow_hotplug();

  [[nodiscard]] std::vector<Result<kernel::ProgramStats>> program_stats() const;
  [[nodiscard]] unsigned cpus_possible() const { return possible_; }
  [[nodiscard]] unsigned cpus_online() const { return online_; }

 private:
  static constexpr std::chrono::seconds kFirstPause{1};
  static constexpr std::chrono::seconds kLongestPause{60};

  CountPath(std::string sysfs, kernel::DispatchLive live, std::unique_ptr<kernel::SlotReader> slots)
      : sysfs_(std::move(sysfs)), live_(std::move(live)), slots_(std::move(slots)) {}
  void note(const kernel::Topology& topology);

  std::string sysfs_;
  kernel::DispatchLive live_;
  std::unique_ptr<kernel::SlotReader> slots_;
  std::string online_list_;
  unsigned possible_ = 0;
  unsigned online_ = 0;
  bool records_missing_ = false;
  std::chrono::steady_clock::time_point next_mend_{};
  std::chrono::seconds mend_pause_{kFirstPause};
};

}  // namespace flowtap
