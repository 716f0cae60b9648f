// What each cgroup's tasks used, as the programs of bpf/dispatch.bpf.c add it up at every context switch.
#pragma once

#include <cstdint>
#include <optional>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "bpf/abi/usage.h"
#include "kernel/map_view.hpp"

namespace flowtap::kernel {

/// Over all CPUs, also those that are offline now. Never goes back while the group is the same cgroup's.
struct GroupUsage {
  std::uint64_t run_ns =
      0;  ///< on a CPU, as the kernel charges it to the cgroup, up to each task's last switch
  std::uint64_t wait_ns = 0;     ///< runnable without a CPU
  std::uint64_t dispatches = 0;  ///< times that a task of it was given one
};

class UsageReader {
 public:
  UsageReader(MapView<ftap_usage> usages, Fd groups, std::uint32_t nr_groups)
      : usages_(std::move(usages)), groups_(std::move(groups)), nr_groups_(nr_groups) {}

  /// The number under which the cgroup (v2, the inode number of its directory) is counted. Absent: no task of it has been
  /// given a CPU, or there were more cgroups than numbers, and it is in FTAP_GROUP_OTHER.
  [[nodiscard]] std::optional<std::uint32_t> group_of(std::uint64_t cgroup) const;

  [[nodiscard]] GroupUsage read(std::uint32_t group) const;

 private:
  MapView<ftap_usage> usages_;  // CPUs * groups
  Fd groups_;
  std::uint32_t nr_groups_;
};

}  // namespace flowtap::kernel
