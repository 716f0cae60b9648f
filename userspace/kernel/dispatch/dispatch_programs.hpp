// bpf/dispatch.bpf.c from opened to live. Each stage is a type of its own and can only be reached from the one before,
// so nobody can write code that attaches what is not loaded, or sizes a map after load.
#pragma once

#include <memory>
#include <vector>

#include "bpf/abi/cpu.h"
#include "bpf/abi/usage.h"
#include "kernel/dispatch/cycle_counters.hpp"
#include "kernel/dispatch/slot_reader.hpp"
#include "kernel/dispatch/usage_reader.hpp"
#include "kernel/map_view.hpp"
#include "kernel/program_stats.hpp"
#include "kernel/topology.hpp"

struct dispatch_bpf;

namespace flowtap::kernel {

struct DispatchSkeletonDeleter {
  void operator()(dispatch_bpf* skeleton) const noexcept;
};
using DispatchSkeleton = std::unique_ptr<dispatch_bpf, DispatchSkeletonDeleter>;

/// What is added up by cgroup. `hierarchy` is the number that the kernel gives to theirs: 0 is v2; a v1 hierarchy must
/// have cpuacct.
struct Accounting {
  std::uint32_t cgroups = 0;  ///< how many are told apart; 0: nothing is added up
  std::uint32_t hierarchy = 0;
  std::shared_ptr<const CycleCounters> counters = nullptr;  ///< null: no cycles
};

/// The programs count every dispatch of the machine as long as this lives.
class DispatchLive {
 public:
  /// Reads and resets their counts. The reader may outlive this object.
  [[nodiscard]] Result<std::unique_ptr<SlotReader>> slots() const;

  /// What each cgroup used since the programs were attached, if DispatchOpened::account_usage() was called. The reader
  /// may outlive this object.
  [[nodiscard]] Result<UsageReader> usage() const;

  /// False: the kernel has sched_ext, but its list of symbols lacks the class, so that its tasks count as the kernel's.
  [[nodiscard]] bool tells_sched_ext_apart() const;

  /// The map in which a sched_ext scheduler says that it counts its dispatches itself (bpf/lib/ext_self.bpf.h).
  [[nodiscard]] int ext_self_map() const;

  /// Tells the programs where the CPUs stand now, after some came or went.
  void set_places(const Topology& topology);

  /// Makes the records of tasks that have none because memory was short when they were created.
  [[nodiscard]] Status make_missing_records();

  /// One per program; a program whose state cannot be read is missing.
  [[nodiscard]] std::vector<Result<ProgramStats>> program_stats(bool run_stats) const;

 private:
  friend class DispatchLoaded;
  DispatchLive(DispatchSkeleton skeleton, std::shared_ptr<const CycleCounters> counters,
               MapView<ftap_cpu> cpus, unsigned nr_cpus)
      : skeleton_(std::move(skeleton)),
        counters_(std::move(counters)),
        cpus_(std::move(cpus)),
        nr_cpus_(nr_cpus) {}

  DispatchSkeleton skeleton_;
  std::shared_ptr<const CycleCounters> counters_;  // null: cycles are not counted
  MapView<ftap_cpu> cpus_;
  unsigned nr_cpus_;
};

/// Verified and in the kernel, but not attached.
class DispatchLoaded {
 public:
  /// Makes the records of all tasks that exist, then attaches. sched_switch comes last, so that no dispatch
  /// is typed before the events that explain it are seen.
  [[nodiscard]] Result<DispatchLive> attach() &&;

 private:
  friend class DispatchOpened;
  DispatchLoaded(DispatchSkeleton skeleton, Topology topology, std::shared_ptr<const CycleCounters> counters)
      : skeleton_(std::move(skeleton)), topology_(std::move(topology)), counters_(std::move(counters)) {}

  DispatchSkeleton skeleton_;
  Topology topology_;
  std::shared_ptr<const CycleCounters> counters_;
};

/// The most cgroups that account_usage() tells apart.
inline constexpr std::uint32_t kMostGroups = FTAP_MOST_GROUPS;

/// Parsed; the kernel knows nothing yet.
class DispatchOpened {
 public:
  /// Sizes the maps for the topology's CPUs.
  [[nodiscard]] static Result<DispatchOpened> open(Topology topology);
  /// Counts only tasks in the cgroup (v2) with this id, the inode number of its directory, and not those in cgroups
  /// below it.
  void only_cgroup(std::uint64_t id);
  /// Also adds up what each cgroup uses, for at most `groups` of them; those beyond count together as one. `hierarchy`
  /// is that of Accounting.
  [[nodiscard]] Status account_usage(std::uint32_t groups, std::uint32_t hierarchy = 0);
  /// To be called after account_usage(): adds up the cycles of each cgroup, too.
  [[nodiscard]] Status account_cycles(std::shared_ptr<const CycleCounters> counters);
  [[nodiscard]] Result<DispatchLoaded> load() &&;

 private:
  DispatchOpened(DispatchSkeleton skeleton, Topology topology)
      : skeleton_(std::move(skeleton)), topology_(std::move(topology)) {}

  DispatchSkeleton skeleton_;
  Topology topology_;
  std::shared_ptr<const CycleCounters> counters_;
};

/// Takes all three steps.
[[nodiscard]] Result<DispatchLive> start_dispatch(Topology topology, const Accounting& what = {});

}  // namespace flowtap::kernel
