// The usage of all workloads, as the kernel adds it up at every context switch.
#pragma once

#include <memory>

#include "telemetry/collector.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

class WorkloadCollector final : public Collector {
 public:
  WorkloadCollector(std::unique_ptr<UsageSource> source, std::unique_ptr<CgroupNames> names,
                    std::chrono::milliseconds keep)
      : source_(std::move(source)), names_(std::move(names)), ledger_(keep) {}

  [[nodiscard]] std::string_view name() const override { return "workloads"; }
  void collect(Collected& out) override;

 private:
  std::unique_ptr<UsageSource> source_;
  std::unique_ptr<CgroupNames> names_;
  UsageLedger ledger_;
};

}  // namespace flowtap::telemetry
