// sched_ext as the kernel shows it in sysfs, whoever wrote the running scheduler.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::kernel {

/// Whether the kernel has sched_ext at all.
[[nodiscard]] bool has_sched_ext(const std::string& sysfs);

/// The scheduler's name from <sysfs>/kernel/sched_ext/root/ops, with '_' for every character that no label may hold;
/// empty where none runs, or the kernel has no sched_ext.
[[nodiscard]] std::string sched_ext_scheduler(const std::string& sysfs);

/// See Documentation/scheduler/sched-ext.rst. A value is absent if this kernel does not show it, or shows it in an
/// unknown form.
struct SchedExt {
  /// "disabled", "enabling", "enabled", "disabling", or what future kernels say; empty: it could not be read.
  std::string state;
  std::string scheduler;                         ///< as sched_ext_scheduler()
  std::optional<std::uint64_t> enable_sequence;  ///< how often one was loaded since the boot
  /// Tasks that asked for SCHED_EXT and were refused by the running scheduler; counted anew with each scheduler.
  std::optional<std::uint64_t> rejected;
  /// The kernel's own counters for the running scheduler, by name: "SCX_EV_KEEP_LAST" is "keep_last" here. Counted anew
  /// with each scheduler.
  std::map<std::string, std::uint64_t> events;
  /// Values that exist but could not be read or understood.
  unsigned unreadable = 0;
};

/// <sysfs>/kernel/sched_ext/root/events: lines of "SCX_EV_NAME VALUE", any bytes. Adds other lines to `unreadable`.
[[nodiscard]] std::map<std::string, std::uint64_t> parse_sched_ext_events(std::string_view text,
                                                                          unsigned& unreadable);

/// Absent on a kernel without sched_ext.
[[nodiscard]] std::optional<SchedExt> read_sched_ext(const std::string& sysfs);

}  // namespace flowtap::kernel
