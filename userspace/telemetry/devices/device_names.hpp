// To whom the processes belong that use a device.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "telemetry/devices/device.hpp"
#include "telemetry/workloads/workload_name.hpp"

namespace flowtap::telemetry {

/// Finds out what a process belongs to. Used by one thread.
class ProcessNames {
 public:
  ProcessNames() = default;
  virtual ~ProcessNames() = default;
  ProcessNames(const ProcessNames&) = delete;
  ProcessNames& operator=(const ProcessNames&) = delete;

  /// The workload of the process that has this pid now; absent where there no longer is one.
  [[nodiscard]] virtual std::optional<WorkloadName> name(pid_t pid) = 0;
};

/// Remembers processes for a while after their end: drivers report what a process did when it is gone already. A pid
/// passes to another process within milliseconds at the earliest, after 32,768 others on a small machine. What the
/// first one did just before is then charged to the second, for one round at most.
class KnownProcesses {
 public:
  static constexpr std::chrono::seconds kRemembered{30};

  explicit KnownProcesses(std::unique_ptr<ProcessNames> names) : names_(std::move(names)) {}

  /// WorkloadName{} (unknown) where nobody can tell.
  [[nodiscard]] WorkloadName name(pid_t pid, DeviceClock::time_point now);
  void forget_old(DeviceClock::time_point now);

 private:
  struct Known {
    WorkloadName name;
    DeviceClock::time_point last;
  };

  std::unique_ptr<ProcessNames> names_;
  std::map<pid_t, Known> known_;
};

}  // namespace flowtap::telemetry
