// sched_ext as the kernel shows it in sysfs, whoever wrote the scheduler that runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::kernel {

/// The scheduler's name from <sysfs>/kernel/sched_ext/root/ops, with what no label may hold replaced by '_'; empty where
/// none runs, or the kernel has no sched_ext.
[[nodiscard]] std::string sched_ext_scheduler(const std::string& sysfs);

/// Documentation/scheduler/sched-ext.rst. What this kernel does not show, or shows otherwise than known, is absent.
struct SchedExt {
  /// "disabled", "enabling", "enabled", "disabling", or what kernels to come say; empty: it could not be read
  std::string state;
  std::string scheduler;                         ///< as sched_ext_scheduler()
  std::optional<std::uint64_t> enable_sequence;  ///< how often one was loaded since the boot
  /// Tasks that asked for SCHED_EXT and were refused by the scheduler that runs; counted anew with each.
  std::optional<std::uint64_t> rejected;
  /// The kernel's own counters of the scheduler that runs, by name: "SCX_EV_KEEP_LAST" is "keep_last" here. Counted anew
  /// with each scheduler.
  std::map<std::string, std::uint64_t> events;
  /// Values that are there, and could not be read or understood.
  unsigned unreadable = 0;
};

/// <sysfs>/kernel/sched_ext/root/events: a line "SCX_EV_NAME VALUE" each, any bytes. Adds what is none to `unreadable`.
[[nodiscard]] std::map<std::string, std::uint64_t> parse_sched_ext_events(std::string_view text,
                                                                          unsigned& unreadable);

/// Absent on a kernel without sched_ext.
[[nodiscard]] std::optional<SchedExt> read_sched_ext(const std::string& sysfs);

}  // namespace flowtap::kernel
