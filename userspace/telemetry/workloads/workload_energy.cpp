#include "telemetry/workloads/workload_energy.hpp"

#include <utility>

#include "telemetry/energy/joules.hpp"

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

void UsageBoard::post(const std::map<WorkloadName, Workload>& workloads, bool cycles) {
  std::map<WorkloadName, Use> uses;
  for (const auto& [name, workload] : workloads)
    uses.emplace_hint(uses.end(), name,
                      Use{.cpu_ns = workload.usage.run_ns,
                          .cycles = cycles ? std::optional(workload.usage.cycles) : std::nullopt});
  const std::scoped_lock lock(mutex_);
  posted_ = {.uses = std::move(uses), .number = posted_.number + 1};
}

UsageBoard::Posted UsageBoard::read() const {
  const std::scoped_lock lock(mutex_);
  return posted_;
}

std::uint64_t UsageBoard::number() const {
  const std::scoped_lock lock(mutex_);
  return posted_.number;
}

bool UsageBoard::counts_cycles() const {
  const std::scoped_lock lock(mutex_);
  return !posted_.uses.empty() && posted_.uses.begin()->second.cycles.has_value();
}

// Before the first post it may be that nobody posts at all.
bool WorkloadEnergy::ready() const {
  const std::uint64_t last = board_->number();
  return last == 0 || last != seen_;
}

std::vector<EnergyConsumer> WorkloadEnergy::consumers() {
  std::vector<EnergyConsumer> all;
  std::map<std::string, WorkloadName> told;
  const UsageBoard::Posted posted = board_->read();
  for (const auto& [name, use] : posted.uses) {
    if (!consumes(name)) continue;
    std::string id = id_of(name);
    // A workload in the first post may have existed for long.
    const bool began = seen_ != 0 && !told_.contains(id);
    all.push_back(
        {.id = id, .cpu_ns = use.cpu_ns, .cycles = use.cycles, .began = began, .may_be_late = true});
    told.emplace(std::move(id), name);
  }
  told_ = std::move(told);
  seen_ = posted.number;
  return all;
}

void WorkloadEnergy::charged(std::span<const ConsumerEnergy> energy, Collected& out) {
  for (const ConsumerEnergy& one : energy) {
    const auto known = told_.find(one.id);
    if (known == told_.end() || one.ended || one.uj == 0) continue;
    out.add(stats::StatId::kWORKLOAD_ENERGY, joules(one.uj), known->second.labels());
  }
}

}  // namespace flowtap::telemetry
