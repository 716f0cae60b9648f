// What the collector of workloads tells with the kernel's own events, files and networks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernel/dispatch/node_usage.hpp"
#include "telemetry/workloads/files/cgroup_files.hpp"
#include "telemetry/workloads/workload_collector.hpp"
#include "tests/bpf/accounted.hpp"
#include "tests/support/in_vm.hpp"

namespace flowtap::test {

inline std::unique_ptr<telemetry::CgroupFileSource> cgroup_files() {
  return telemetry::CgroupFileSource::open_below("/sys/fs/cgroup");
}

// Runtimes and systemd take at least 50 ms to remove what is left of a workload that has ended. A machine that is emulated beside
// other work gives the collector's thread a CPU much later.
inline std::chrono::milliseconds removal() {
  return in_vm() ? std::chrono::seconds(1) : std::chrono::milliseconds(50);
}

class CollectedWorkloads {
 public:
  explicit CollectedWorkloads(std::unique_ptr<telemetry::CgroupNames> names) {
    auto watch = kernel::CgroupWatch::start();
    if (!watch) throw std::runtime_error(watch.error().what);
    collector_ = std::make_unique<telemetry::WorkloadCollector>(
        std::make_unique<kernel::NodeUsage>(live_.usage().value(), std::move(*watch)), std::move(names),
        cgroup_files(), "/proc", "/sys",
        telemetry::WorkloadBoards{.usage = std::make_shared<telemetry::UsageBoard>(),
                                  .processes = std::make_shared<telemetry::ProcessBoard>(),
                                  .ends = std::make_shared<telemetry::ContainerEnds>(),
                                  .compat = nullptr},
        std::chrono::hours(1));
    collect();
  }
  void collect() {
    now_ = {};
    collector_->collect(now_);
  }
  /// The sum of the workload with this container's name, over all devices, at the last collect().
  [[nodiscard]] double sum(stats::StatId id, const std::string& name) const {
    double sum = 0;
    for (const stats::Series& series : now_.series) {
      if (series.stat->id != id || series.labels[3] != name) continue;
      if (const auto* count = std::get_if<std::uint64_t>(&series.value)) sum += static_cast<double>(*count);
      if (const auto* seconds = std::get_if<double>(&series.value)) sum += *seconds;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t unread() const { return now_.unread; }

 private:
  kernel::DispatchLive live_ = attach_usage();
  std::unique_ptr<telemetry::WorkloadCollector> collector_;
  telemetry::Collected now_;
};

}  // namespace flowtap::test
