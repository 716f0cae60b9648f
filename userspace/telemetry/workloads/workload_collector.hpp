// The usage of all workloads: as the kernel adds it up at every context switch, and as the files of their cgroups have it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "telemetry/collector.hpp"
#include "telemetry/workloads/container_ends.hpp"
#include "telemetry/workloads/file_ledger.hpp"
#include "telemetry/workloads/layer_collector.hpp"
#include "telemetry/workloads/network_ledger.hpp"
#include "telemetry/workloads/usage_ledger.hpp"
#include "telemetry/workloads/workload_energy.hpp"

namespace flowtap::telemetry {

class WorkloadCollector final : public Collector {
 public:
  /// `files`: null where the node has no v2 hierarchy that can be seen. `proc`: the node's procfs. What is used is posted on
  /// `board`, a process of each container on `processes`, how containers ended in `ends`.
  WorkloadCollector(std::unique_ptr<UsageSource> source, std::unique_ptr<CgroupNames> names,
                    std::unique_ptr<CgroupSource> files, std::string proc, std::shared_ptr<UsageBoard> board,
                    std::shared_ptr<ProcessBoard> processes, std::shared_ptr<ContainerEnds> ends,
                    std::chrono::milliseconds keep)
      : board_(std::move(board)),
        processes_(std::move(processes)),
        ends_(std::move(ends)),
        source_(std::move(source)),
        names_(std::move(names)),
        ledger_(keep),
        networks_(std::move(proc)) {
    if (files) files_.emplace(std::move(files));
  }

  [[nodiscard]] std::string_view name() const override { return "workloads"; }
  void collect(Collected& out) override;

 private:
  std::shared_ptr<UsageBoard> board_;
  std::shared_ptr<ProcessBoard> processes_;
  std::shared_ptr<ContainerEnds> ends_;
  std::unique_ptr<UsageSource> source_;
  std::unique_ptr<CgroupNames> names_;
  UsageLedger ledger_;
  std::optional<FileLedger> files_;
  NetworkLedger networks_;
};

}  // namespace flowtap::telemetry
