// Containers that ran before the log tap, found by what the kernel says of open files.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/log/open_files.hpp"
#include "kernel/records/record.hpp"

namespace flowtap {

struct RunningContainer : flow::Enter {
  std::uint32_t mounts = 0;  ///< its mount namespace's number
};

/// The processes with which containers began, each with what its outputs are connected to. The rule is that of the programs for
/// containers that begin later: the process's mount namespace is not its parent's, it is in a cgroup, and it is the first process
/// of that cgroup and of its mount namespace. A pipe counts as captured (flow::Enter::Output::kind) only if somebody in another
/// cgroup reads it, as a runtime does. A pipe between a container's own processes is no log, but what it is passed on to is. The
/// streams' numbers are still 0.
[[nodiscard]] std::vector<RunningContainer> find_running_containers(
    const std::vector<kernel::OpenFile>& files);

}  // namespace flowtap
