// How much memory this process may take: the limits of its cgroup and of all above it, of v2 and of v1, and the machine's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flowtap {

struct MemoryLimit {
  std::uint64_t bytes = 0;
  /// How many of them are left. What the kernel would take back from its caches counts as left, and so does what this process
  /// has already. All of the machine's memory counts as left, since how much others take of it changes by the minute.
  std::uint64_t left = 0;
  /// How much of what is charged there is tmpfs, which stays when a process ends; 0 also if that is not known.
  std::uint64_t shmem = 0;
  bool own = false;    ///< of this process' own cgroup, or of its pod's: nobody else takes from it
  bool slows = false;  ///< above it the kernel slows processes down, and kills none
  std::string whose;   ///< for people: "memory.max of the cgroup /system.slice/flowtapd.service"
};

/// All limits that can be seen, the nearest first and the machine last. A container may not see those above its own.
/// `unread` gets why those of cgroups are not known, in one sentence; else it stays as it is. `root`: where the process' own /proc
/// and /sys are; for tests.
[[nodiscard]] std::vector<MemoryLimit> memory_limits(std::string& unread, const std::string& root = {});

/// The one that is reached first by a process that begins anew; null: none is known.
[[nodiscard]] const MemoryLimit* smallest(const std::vector<MemoryLimit>& limits);

/// For people: "64 MiB", "1.5 MiB", "23 GiB".
[[nodiscard]] std::string mib(std::uint64_t bytes);

}  // namespace flowtap
