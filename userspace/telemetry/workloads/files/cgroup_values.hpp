// What the files of a cgroup tell, as numbers. Each file is the kernel's, but its bytes are taken for anybody's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "telemetry/workloads/files/block_io.hpp"

namespace flowtap::telemetry {

/// What only grows while the cgroup is the same. Times in nanoseconds.
enum class CgroupCounter : std::uint8_t {
  kCpuUser,
  kCpuSystem,
  kPeriods,           ///< enforcement periods of its quota that passed with something runnable
  kThrottledPeriods,  ///< those in which it was throttled
  kThrottled,
  kPageFaults,
  kMajorPageFaults,
  kOoms,      ///< times that its memory was at the limit and an allocation was about to fail
  kOomKills,  ///< processes killed for want of memory
  kCpuWaiting,
  kCpuStalled,
  kMemoryWaiting,
  kMemoryStalled,
  kIoWaiting,
  kIoStalled,
};
inline constexpr std::size_t kCgroupCounters = 15;

/// What goes up and down. Memory in bytes.
enum class CgroupGauge : std::uint8_t {
  kCpuLimit,  ///< CPUs: quota / period; absent where there is no quota
  kMemory,
  kWorkingSet,    ///< derive()
  kInactiveFile,  ///< of which the working set is made
  kAnonymous,
  kFile,
  kMappedFile,
  kKernel,
  kSwap,
  kMemoryPeak,
  kMemoryLimit,  ///< absent where there is none
  kTasks,
  kTasksLimit,  ///< absent where there is none
  kProcesses,   ///< absent where not all that are below could be counted
  kFirstPid,    ///< one of them, the oldest as a rule; as flowtapd's procfs numbers them
  kQuota,       ///< µs; v1 has it in a file of its own, and derive() the limit
  kPeriod,      ///< µs
};
inline constexpr std::size_t kCgroupGauges = 17;

/// Absent: the kernel does not tell, or the controller is not enabled there.
struct CgroupValues {
  std::array<std::optional<std::uint64_t>, kCgroupCounters> counters;
  std::array<std::optional<double>, kCgroupGauges> gauges;
  std::optional<BlockIo> io;  ///< of the devices that it has used and that are there

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

  /// What follows from several files together; called once all are read.
  void derive();
};

/// A file of a cgroup, and who understands it.
struct CgroupFile {
  std::string_view controller;  ///< the hierarchy of v1 that has it; empty: that of v2
  const char* name;
  /// False: malformed; `out` is then to be thrown away. What it does not know it passes by: kernels add keys.
  bool (*parse)(std::string_view text, CgroupValues& out);
  bool setting = false;  ///< what somebody set, and hardly ever changes
  bool anew = false;     ///< one that stays open tells what was, and not what is
};

/// Of a cgroup.procs, which tells of the cgroup itself alone: a process a line, 0 for those that this PID namespace does not
/// show.
[[nodiscard]] bool parse_processes(std::string_view text, CgroupValues& out);

/// Of v2, each but cgroup.procs including what is below the cgroup: Documentation/admin-guide/cgroup-v2.rst.
[[nodiscard]] std::span<const CgroupFile> cgroup_files();
/// Of v1, where it holds the controllers and v2 only the hierarchy (systemd's "hybrid"): the same of what is below. What v2
/// tells without a controller (CPU time, pressure) is not read here again. Documentation/admin-guide/cgroup-v1.
[[nodiscard]] std::span<const CgroupFile> cgroup_files_v1();
/// Of v1's cpuacct, where that tells which cgroups there are instead of v2: CPU time and processes. v1 has no pressure.
[[nodiscard]] std::span<const CgroupFile> cgroup_files_cpuacct();

}  // namespace flowtap::telemetry
