// One of our sched_ext schedulers, as whoever runs it sees it.
#pragma once

#include <chrono>
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
  /// How long the kernel lets a task wait before it ends the scheduler (sched_ext_ops.timeout_ms), at most 30 s. Absent: 30 s.
  std::optional<std::chrono::milliseconds> longest_wait = {};
  /// The options of one scheduler. Whoever starts it anew uses the options of its first start, or a copy of them.
  std::shared_ptr<KeptMaps> kept = std::make_shared<KeptMaps>();
};

/// While this lives it schedules the tasks of the machine, unless the kernel has ended it before. When it goes, in
/// whatever way (a kill -9 of this process included), the kernel's own scheduler goes on.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// The name that the kernel and the metrics use.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Reads and resets its counts, in the ext class. The reader may outlive the scheduler, and then still has the last
  /// counts.
  [[nodiscard]] virtual Result<std::unique_ptr<stats::SlotSource>> slots() const = 0;

  /// Absent while it runs.
  [[nodiscard]] virtual std::optional<Exit> exited() const = 0;

  /// The scheduler's regular work in userspace; to be called about once a second.
  virtual void look_around() {}
};

}  // namespace flowtap::scheds
