#include "telemetry/workloads/workload_energy.hpp"

namespace flowtap::telemetry {
namespace {

std::string id_of(const WorkloadName& name) {
  std::string id;
  for (const std::string& label : name.labels()) id.append(label).append(1, '\0');
  return id;
}

bool consumes(const WorkloadName& name) {
  return name.kind != WorkloadKind::kHost && name.kind != WorkloadKind::kUnknown;
}

}  // namespace

void UsageBoard::post(const std::map<WorkloadName, Workload>& workloads) {
  CpuTimes times;
  for (const auto& [name, workload] : workloads) times.emplace(name, workload.usage.run_ns);
  const std::scoped_lock lock(mutex_);
  times_ = std::move(times);
}

UsageBoard::CpuTimes UsageBoard::read() const {
  const std::scoped_lock lock(mutex_);
  return times_;
}

std::vector<EnergyConsumer> WorkloadEnergy::consumers() {
  std::vector<EnergyConsumer> all;
  std::map<std::string, WorkloadName> told;
  for (const auto& [name, cpu_ns] : board_->read()) {
    if (!consumes(name)) continue;
    std::string id = id_of(name);
    all.push_back({.id = id, .cpu_ns = cpu_ns, .began = !first_ && !told_.contains(id)});
    told.emplace(std::move(id), name);
  }
  told_ = std::move(told);
  first_ = false;
  return all;
}

void WorkloadEnergy::charged(std::span<const ConsumerEnergy> energy, Collected& out) {
  for (const ConsumerEnergy& one : energy) {
    const auto known = told_.find(one.id);
    if (known == told_.end() || one.ended || one.uj == 0) continue;
    out.series.push_back({&stats::stat(stats::StatId::kWORKLOAD_ENERGY), known->second.labels(),
                          static_cast<double>(one.uj) * 1e-6});
  }
}

}  // namespace flowtap::telemetry
