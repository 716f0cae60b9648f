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

/// The line "cpu" of /proc/stat (Documentation/filesystems/proc.rst, 1.7). What a hypervisor stole is left out, since
/// that energy belongs to others; guests are already part of `user`. Absent where the line is not understood.
[[nodiscard]] std::optional<CpuTime> parse_cpu_time(std::string_view stat);

/// From the procfs at `proc`; where it cannot be read or understood it is absent and added to `unread`.
[[nodiscard]] std::optional<CpuTime> read_cpu_time(const std::string& proc, std::uint64_t& unread);

}  // namespace flowtap::telemetry
