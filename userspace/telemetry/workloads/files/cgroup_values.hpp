// The numbers in the files of a cgroup. Each file comes from the kernel, but its bytes are not trusted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "telemetry/workloads/files/block_io.hpp"

namespace flowtap::telemetry {

/// Values that only grow while the cgroup is the same. Times are in nanoseconds.
enum class CgroupCounter : std::uint8_t {
  kCpuUser,
  kCpuSystem,
  kPeriods,           ///< enforcement periods of its quota that passed with something runnable
  kThrottledPeriods,  ///< those in which it was throttled
  kThrottled,
  kPageFaults,
  kMajorPageFaults,
  kOoms,      ///< how often its memory was at the limit and an allocation was about to fail
  kOomKills,  ///< processes killed because memory was short
  kCpuWaiting,
  kCpuStalled,
  kMemoryWaiting,
  kMemoryStalled,
  kIoWaiting,
  kIoStalled,
  kCpu,  ///< in both modes together
};
inline constexpr std::size_t kCgroupCounters = 16;

/// The value of a limit that is not there.
inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Values that go up and down. Memory is in bytes.
enum class CgroupGauge : std::uint8_t {
  kCpuLimit,  ///< CPUs: quota / period; absent where there is no quota
  kMemory,
  kWorkingSet,    ///< derive()
  kInactiveFile,  ///< used to work out the working set
  kAnonymous,
  kFile,
  kMappedFile,
  kKernel,
  kSwap,
  kMemoryPeak,
  kMemoryLimit,  ///< infinite where there is none, like all limits
  kTasks,
  kTasksLimit,
  kProcesses,  ///< absent where not all cgroups below could be counted
  kFirstPid,   ///< one of them, as a rule the oldest; by the numbers of flowtapd's procfs
  kQuota,      ///< µs; v1 has it in a file of its own, and derive() the limit
  kPeriod,     ///< µs
  kActiveFile,
  kReservation,  ///< memory that is not taken away; 0 where there is none
  kSwapLimit,    ///< v1: of memory and swap together
  kShares,       ///< of CPU time, in v1's unit
};
inline constexpr std::size_t kCgroupGauges = 21;

/// Absent: the kernel does not tell, or the controller is not enabled there.
struct CgroupValues {
  std::array<std::optional<std::uint64_t>, kCgroupCounters> counters;
  std::array<std::optional<double>, kCgroupGauges> gauges;
  std::optional<BlockIo> io;  ///< for the devices that it has used and that still exist

  std::optional<std::uint64_t>& operator[](CgroupCounter of) {
    return counters[static_cast<std::size_t>(of)];
  }
  const std::optional<std::uint64_t>& operator[](CgroupCounter of) const {
    return counters[static_cast<std::size_t>(of)];
  }
  std::optional<double>& operator[](CgroupGauge of) { return gauges[static_cast<std::size_t>(of)]; }
  const std::optional<double>& operator[](CgroupGauge of) const {
    return gauges[static_cast<std::size_t>(of)];
  }
  bool operator==(const CgroupValues&) const = default;

  /// Works out what follows from several files together; called once all are read.
  void derive();
};

/// A file of a cgroup, and the function that understands it.
struct CgroupFile {
  std::string_view controller;  ///< the v1 hierarchy that has it; empty: v2
  const char* name;
  /// False: malformed; `out` must then be thrown away. It skips what it does not know: kernels add keys.
  bool (*parse)(std::string_view text, CgroupValues& out);
  bool setting = false;  ///< somebody set it, and it hardly ever changes
  bool anew = false;     ///< a file that stays open shows old values, not the present ones
};

/// For a cgroup.procs, which covers only the cgroup itself: one process a line, 0 for those that this PID namespace
/// does not show.
[[nodiscard]] bool parse_processes(std::string_view text, CgroupValues& out);

/// The v2 files; each but cgroup.procs includes what is below the cgroup: Documentation/admin-guide/cgroup-v2.rst.
[[nodiscard]] std::span<const CgroupFile> cgroup_files();
/// The v1 files, where v1 holds the controllers and v2 only the hierarchy (systemd's "hybrid"); they include the same
/// from below. What v2 tells without a controller (CPU time, pressure) is not read here again.
/// Documentation/admin-guide/cgroup-v1.
[[nodiscard]] std::span<const CgroupFile> cgroup_files_v1();
/// The files of v1's cpuacct, where that tells which cgroups exist instead of v2: CPU time and processes. v1 has no
/// pressure.
[[nodiscard]] std::span<const CgroupFile> cgroup_files_cpuacct();

}  // namespace flowtap::telemetry
