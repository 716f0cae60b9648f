#include "telemetry/workloads/workload_collector.hpp"

#include "telemetry/workloads/file_series.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

stats::Histogram waits(const GroupUsage& usage) {
  stats::HistogramValue value;
  for (std::size_t i = 0; i < FTAP_COARSE_EDGES; ++i)
    value.counts.at(FTAP_COARSE_FIRST + 2 * i) = usage.waits.at(i);
  value.counts.back() = usage.waits.back();
  value.sum = seconds(usage.wait_ns);
  return value;
}

// A process of a container. Others have no layer of their own.
std::optional<std::uint64_t> pid_of(const WorkloadName& name, const FileLedger::Entry& entry) {
  if (name.kind != WorkloadKind::kPod && name.kind != WorkloadKind::kContainer) return std::nullopt;
  for (const auto& [path, instance] : entry.instances)
    if (const auto pid = instance.last[CgroupGauge::kFirstPid]) return static_cast<std::uint64_t>(*pid);
  return std::nullopt;
}

}  // namespace

void WorkloadCollector::collect(Collected& out) {
  const auto now = UsageLedger::Clock::now();
  // What it has is old then.
  if (!ledger_.round(*source_, *names_, now)) {
    ++out.unread;
    return;
  }
  board_->post(ledger_.workloads());
  // Sandboxes are killed in order, when all is over.
  for (EndedContainer& ended : ledger_.take_ended())
    if (ended.name.kind != WorkloadKind::kPod || ended.name.container != kSandbox)
      ends_->note(std::move(ended));
  for (const auto& [name, workload] : ledger_.workloads()) {
    const stats::Labels labels = name.labels();
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_CPU), labels, seconds(workload.usage.run_ns)});
    out.series.push_back(
        {&stats::stat(StatId::kWORKLOAD_RUN_QUEUE), labels, seconds(workload.usage.wait_ns)});
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_RUN_QUEUE_LATENCY), labels, waits(workload.usage)});
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_DISPATCHES), labels, workload.usage.dispatches});
  }
  if (!files_) return;
  files_->round(ledger_.workloads(), now, out.unread);
  networks_.round(*files_, now, out.unread);
  ProcessBoard::Processes processes;
  for (const auto& [name, entry] : files_->workloads()) {
    if (const auto pid = pid_of(name, entry)) processes.emplace(name, *pid);
    const stats::Labels labels = name.labels();
    append_series(entry.values, labels, out.series);
    if (const auto started = networks_.started(entry))
      out.series.push_back({&stats::stat(StatId::kWORKLOAD_START), labels, *started});
  }
  networks_.append_series(out.series);
  processes_->post(std::move(processes));
}

}  // namespace flowtap::telemetry
