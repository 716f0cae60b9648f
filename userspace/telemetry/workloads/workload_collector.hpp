// The usage of all workloads, as the kernel adds it up at every context switch and as the files of their cgroups tell
// it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/threads/event_fd.hpp"
#include "telemetry/collecting/collector.hpp"
#include "telemetry/workloads/compat_board.hpp"
#include "telemetry/workloads/container_ends.hpp"
#include "telemetry/workloads/files/file_ledger.hpp"
#include "telemetry/workloads/layer_collector.hpp"
#include "telemetry/workloads/network_ledger.hpp"
#include "telemetry/workloads/outer_cgroups.hpp"
#include "telemetry/workloads/usage_ledger.hpp"
#include "telemetry/workloads/workload_energy.hpp"

namespace flowtap::telemetry {

/// Where a round posts what others take from it.
struct WorkloadBoards {
  std::shared_ptr<UsageBoard> usage;        ///< what each workload has used
  std::shared_ptr<ProcessBoard> processes;  ///< one process of each container
  std::shared_ptr<ContainerEnds> ends;      ///< how containers ended
  std::shared_ptr<CompatBoard>
      compat;  ///< what only the names of other exporters have; null: nobody asks for it
};

class WorkloadCollector final : public Collector {
 public:
  /// `files`: null where no cgroup hierarchy is visible. `proc`, `sysfs`: the node's.
  WorkloadCollector(std::unique_ptr<stats::UsageSource> source, std::unique_ptr<CgroupNames> names,
                    std::unique_ptr<CgroupSource> files, std::string proc, std::string sysfs,
                    WorkloadBoards boards, std::chrono::milliseconds keep);
  ~WorkloadCollector() override;

  /// From now on the cgroups around workloads are read, too; called before the first collect().
  void show_outer(std::unique_ptr<CgroupSource> files, std::shared_ptr<CompatBoard> board);

  [[nodiscard]] std::string_view name() const override { return "workloads"; }
  void collect(Collected& out) override;

 private:
  void watch_turns() noexcept;
  void read_turns(UsageLedger::Clock::time_point now);
  void post_compat(UsageLedger::Clock::time_point now, std::uint64_t& unread);

  WorkloadBoards boards_;
  std::unique_ptr<stats::UsageSource> source_;
  std::unique_ptr<CgroupNames> names_;
  std::mutex mutex_;  // protects all below, and whom they ask
  UsageLedger ledger_;
  std::optional<FileLedger> files_;
  std::optional<OuterCgroups> outer_;
  NetworkLedger networks_;
  std::string proc_;
  std::string sysfs_;
  std::size_t most_ = 0;            // series of a collect()
  std::uint64_t unread_ = 0;        // at ends
  std::uint64_t failed_walks_ = 0;  // failed walks that were counted
  EventFd stop_;
  // Looks at a container's network when it begins, and reads the files of a workload's cgroup when it ends: both may be
  // gone by the next collect().
  std::thread watcher_;
};

}  // namespace flowtap::telemetry
