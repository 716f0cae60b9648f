// A sched_ext scheduler of ours as whoever runs it sees it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "scheds/lib/exit_report.hpp"
#include "scheds/lib/kept_maps.hpp"
#include "stats/slot_source.hpp"

namespace flowtap::scheds {

struct StartOptions {
  std::string sysfs = "/sys";
  /// The map of the tracing programs in which the scheduler says that it counts its dispatches itself
  /// (bpf/lib/ext_self.bpf.h); -1: nobody else counts.
  int ext_self_map = -1;
  /// Of one scheduler: whoever starts it anew does so with the options that it was started with first, or a copy of them.
  std::shared_ptr<KeptMaps> kept = std::make_shared<KeptMaps>();
};

/// While it lives the tasks of the machine are scheduled by it, unless the kernel has ended it before. When it goes, by
/// whatever way (a kill -9 of this process among them), the kernel's own scheduler goes on.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// As the kernel and the metrics have it.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Reads and resets what it counts, in the ext class. May outlive the scheduler, and then still has the last counts.
  [[nodiscard]] virtual Result<std::unique_ptr<stats::SlotSource>> slots() const = 0;

  /// Absent while it runs.
  [[nodiscard]] virtual std::optional<Exit> exited() const = 0;

  /// What it does in userspace from time to time; to be called about once a second.
  virtual void look_around() {}
};

}  // namespace flowtap::scheds
