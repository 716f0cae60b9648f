// The text of /proc/stat.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace flowtap::telemetry {

/// The columns of a CPU's line, in their order (Documentation/filesystems/proc.rst). kUser and kNice contain kGuest and
/// kGuestNice.
enum CpuMode : std::size_t {
  kUser,
  kNice,
  kSystem,
  kIdle,
  kIowait,
  kIrq,
  kSoftirq,
  kSteal,
  kGuest,
  kGuestNice,
  kCpuModes
};

struct CpuTimes {
  std::uint16_t cpu = 0;
  std::size_t known = 0;                            ///< how many of the modes this kernel has, the first ones
  std::array<std::uint64_t, kCpuModes> ticks = {};  ///< of 1/USER_HZ seconds
};

struct KernelStat {
  std::vector<CpuTimes> cpus;   ///< those that are online, none twice
  std::optional<CpuTimes> all;  ///< all together, offline ones included; its `cpu` means nothing
  std::optional<std::uint64_t> interrupts, context_switches, boot_time, forks, procs_running, procs_blocked,
      softirqs;
  std::uint64_t unread = 0;  ///< lines that the kernel does not write
};

[[nodiscard]] KernelStat parse_kernel_stat(std::string_view text);

}  // namespace flowtap::telemetry
