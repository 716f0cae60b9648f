// How long the node's CPUs worked, from /proc/stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// Since the boot, all CPUs together, in nanoseconds.
struct CpuTime {
  std::uint64_t busy = 0;
  std::uint64_t idle = 0;  ///< waiting for a disk included: the CPU does nothing then

  bool operator==(const CpuTime&) const = default;
};

/// The line "cpu" of /proc/stat (Documentation/filesystems/proc.rst, 1.7). Without what a hypervisor stole, as that is
/// energy of others; guests are in `user` already. Absent where it is not understood.
[[nodiscard]] std::optional<CpuTime> parse_cpu_time(std::string_view stat);

/// Of the procfs at `proc`; absent where it cannot be read or understood, and added to `unread`.
[[nodiscard]] std::optional<CpuTime> read_cpu_time(const std::string& proc, std::uint64_t& unread);

}  // namespace flowtap::telemetry
