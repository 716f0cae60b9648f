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

/// The processes with which containers began, each with what its outputs are connected to, by the rule that the programs
/// have for those that begin later: its mount namespace is not its parent's, it is in a cgroup, and it is that cgroup's
/// first, and its mount namespace's. A pipe counts as captured (flow::Enter::Output::kind) only if somebody in another cgroup reads it: a runtime
/// does, and a pipe between a container's own processes is no log, but what that passes on to is. The streams' numbers are still 0.
[[nodiscard]] std::vector<RunningContainer> find_running_containers(
    const std::vector<kernel::OpenFile>& files);

}  // namespace flowtap
