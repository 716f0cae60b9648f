// What /proc/PID tells about a process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::identity {

/// Bounds of what is read of a process's files, in bytes. /proc/PID/cgroup has one line for each hierarchy, each with a
/// path of at most 4 KiB.
inline constexpr std::size_t kProcStatLimit = 4096;
inline constexpr std::size_t kProcCgroupLimit = std::size_t{256} << 10U;

struct ProcStat {
  std::string comm;         ///< the name the process gives itself: any bytes, ") (" and newlines included
  char state = '?';         ///< the letter of field 3
  pid_t parent = 0;         ///< field 4
  std::uint64_t start = 0;  ///< field 22, clock ticks after boot

  bool operator==(const ProcStat&) const = default;
};

/// Parses /proc/PID/stat (Documentation/filesystems/proc.rst, table 1-4).
[[nodiscard]] Result<ProcStat> parse_proc_stat(std::string_view text);

/// The path in /proc/PID/cgroup that tells most: that of v2, unless it is the root, then that of systemd's v1
/// hierarchy, then the deepest one. Without the kernel's " (deleted)". Absent where all are the root.
[[nodiscard]] std::optional<std::string> parse_proc_cgroup(std::string_view text);
/// The path in the v1 hierarchy that has `controller`. Absent: it is the root, or there is none.
[[nodiscard]] std::optional<std::string> parse_proc_cgroup_of(std::string_view controller,
                                                              std::string_view text);

/// Turns a start time as the kernel keeps it (ns on CLOCK_BOOTTIME) into the unit of ProcStat::start.
[[nodiscard]] std::uint64_t start_ticks(std::uint64_t ns);

}  // namespace flowtap::identity
