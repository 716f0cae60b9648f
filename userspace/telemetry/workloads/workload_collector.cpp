#include "telemetry/workloads/workload_collector.hpp"

#include "telemetry/workloads/file_series.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

}  // namespace

void WorkloadCollector::collect(Collected& out) {
  if (!ledger_.round(*source_, *names_, UsageLedger::Clock::now())) ++out.unread;
  board_->post(ledger_.workloads());
  for (const auto& [name, workload] : ledger_.workloads()) {
    const auto labels = name.labels();
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_CPU), labels, seconds(workload.usage.run_ns)});
    out.series.push_back(
        {&stats::stat(StatId::kWORKLOAD_RUN_QUEUE), labels, seconds(workload.usage.wait_ns)});
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_DISPATCHES), labels, workload.usage.dispatches});
  }
  if (!files_) return;
  files_->round(ledger_.workloads(), out.unread);
  for (const auto& [name, entry] : files_->workloads())
    append_series(entry.values, name.labels(), out.series);
}

}  // namespace flowtap::telemetry
