// What each cgroup's tasks used, as the programs of bpf/dispatch.bpf.c add it up at every context switch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "bpf/abi/usage.h"
#include "kernel/dispatch/cycle_counters.hpp"
#include "kernel/map_view.hpp"
#include "stats/usage_source.hpp"

namespace flowtap::kernel {

using stats::GroupUsage;

/// The maps of bpf/lib/usage.bpf.h and cycles.bpf.h.
struct UsageMaps {
  using Cycles = unsigned long long;

  MapView<ftap_usage> usages;                     ///< CPUs * groups
  MapView<ftap_numbers> numbers;                  ///< one
  MapView<Cycles> cycles;                         ///< CPUs * groups; empty where cycles are not counted
  std::shared_ptr<const CycleCounters> counters;  ///< null: cycles are not counted
  MapView<ftap_running> running;                  ///< CPUs
  Fd look;                                        ///< the program that fills it
  Fd groups;                                      ///< numbers by cgroup
  Fd free;                                        ///< numbers that nobody has
  std::uint32_t nr_groups = 0;
};

class UsageReader {
 public:
  explicit UsageReader(UsageMaps maps) : maps_(std::move(maps)) {}

  /// The number under which the cgroup (the inode number of its directory) is counted. Absent: no task of it has been
  /// given a CPU, or there were more cgroups than numbers, and it counts in FTAP_GROUP_OTHER.
  [[nodiscard]] std::optional<std::uint32_t> group_of(std::uint64_t cgroup) const;
  /// All cgroups that have a number, each once. Those that get one meanwhile may be missing.
  [[nodiscard]] Result<std::vector<stats::NumberedCgroup>> numbered() const;

  /// Includes what its tasks have run since their last switch, as far as look() has seen it. What is switched out
  /// between look() and this call is counted twice, and once the next time.
  [[nodiscard]] GroupUsage read(std::uint32_t group) const;

  /// Looks at what runs now. False: that failed.
  bool look();

  /// UsageSource::counts_cycles().
  [[nodiscard]] bool counts_cycles() const { return counts_cycles_; }

  /// UsageSource::release().
  [[nodiscard]] GroupUsage release(const stats::NumberedCgroup& cgroup);

 private:
  struct Running {
    std::uint32_t group = 0;
    std::uint64_t run_ns = 0;
    std::uint64_t cycles = 0;
  };

  /// What a CPU's task has run since its last switch.
  [[nodiscard]] std::uint64_t cycles_of(std::size_t cpu, const ftap_running& running);

  UsageMaps maps_;
  std::vector<Running> running_;  // at the last look()
  bool counts_cycles_ = false;
  std::uint64_t cycles_unread_ = 0;  // at the last look
};

}  // namespace flowtap::kernel
