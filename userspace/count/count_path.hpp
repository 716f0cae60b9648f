// The count path as one component: programs in the kernel, slots, and where each CPU stands.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/views.hpp"
#include "kernel/dispatch/cgroup_watch.hpp"
#include "kernel/dispatch/dispatch_programs.hpp"
#include "stats/read_errors.hpp"
#include "stats/registry.hpp"
#include "stats/usage_source.hpp"

namespace flowtap {

class CountPath {
 public:
  /// The component's name.
  static constexpr const char* kName = "count";
  /// Kinds of values that it reads, as ReadErrors has them.
  static constexpr const char* kTopology = "topology";
  static constexpr const char* kTaskRecords = "task_records";

  /// Loads and attaches the dispatch programs. `sysfs` is the node's /sys.
  [[nodiscard]] static Result<std::unique_ptr<CountPath>> start(const std::string& sysfs,
                                                                const kernel::Accounting& what);

  [[nodiscard]] std::string how() const;

  /// Adds what was counted since the last call.
  void take(stats::Registry& registry);

  /// Follows what changes slowly: CPUs that come and go, tasks without a record, the programs' own statistics. A failed
  /// reading is counted in `errors`, and the old state holds.
  void look_around(ReadErrors& errors);

  /// What the last look_around() found.
  void report(api::CountStatus& status) const;
  /// What the node's cgroups use, where that is added up. Valid as long as this lives.
  [[nodiscard]] Result<std::unique_ptr<stats::UsageSource>> usage();
  [[nodiscard]] int ext_self_map() const { return live_.ext_self_map(); }
  [[nodiscard]] unsigned cpus_online() const { return online_; }

 private:
  static constexpr std::chrono::seconds kFirstPause{1};
  static constexpr std::chrono::seconds kLongestPause{60};

  CountPath(std::string sysfs, std::uint32_t hierarchy, kernel::DispatchLive live,
            std::unique_ptr<kernel::SlotReader> slots)
      : sysfs_(std::move(sysfs)), hierarchy_(hierarchy), live_(std::move(live)), slots_(std::move(slots)) {}
  void note(const kernel::Topology& topology);
  /// Tells the programs when CPUs came or went.
  [[nodiscard]] Status follow_hotplug();
  /// Tries again for the tasks whose record could not be made, with growing pauses while that goes on.
  [[nodiscard]] Status mend_records();
  void read_programs(ReadErrors& errors);

  std::string sysfs_;
  std::uint32_t hierarchy_;  // as in kernel::Accounting
  kernel::DispatchLive live_;
  std::unique_ptr<kernel::SlotReader> slots_;
  Result<std::shared_ptr<kernel::CgroupWatch>> watch_;  // null: nothing is added up
  std::vector<api::ProgramStatus> programs_;
  std::string online_list_;
  unsigned possible_ = 0;
  unsigned online_ = 0;
  bool records_missing_ = false;
  std::chrono::steady_clock::time_point next_mend_{};
  std::chrono::seconds mend_pause_{kFirstPause};
};

}  // namespace flowtap
