#include "telemetry/devices/device_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flowtap::telemetry {
namespace {

// Each round counts as much time as any other: comparisons are only made within one round.
constexpr double kRound = 1e9;

std::uint64_t part_of_round(double ratio) {
  return static_cast<std::uint64_t>(std::llround(ratio * kRound));
}

void add_ratio(std::optional<double>& sum, std::optional<double> more) {
  if (more) sum = std::min(1.0, sum.value_or(0) + *more);
}

std::string id_of(const DeviceUser& user) {
  std::string id = user.instance + '\0';
  for (const std::string& label : user.name.labels()) id.append(label).append(1, '\0');
  return id;
}

// The part of the round in which the device worked; absent where nothing tells.
std::optional<double> worked(const DeviceValues& values, const DeviceUses& uses) {
  if (values.utilization) return values.utilization;
  std::optional<double> all;
  for (const auto& [user, use] : uses) add_ratio(all, use.utilization);
  return all;
}

}  // namespace

void DeviceUse::add(const DeviceProcess& process) {
  ++processes;
  if (process.memory) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t before = memory.value_or(0);
    memory = before > kMost - *process.memory ? kMost : before + *process.memory;
  }
  add_ratio(utilization, process.utilization);
  add_ratio(memory_utilization, process.memory_utilization);
  add_ratio(encoder, process.encoder);
  add_ratio(decoder, process.decoder);
}

void DeviceLedger::share(const DeviceValues& values, const DeviceUses& uses, std::uint64_t uj,
                         DeviceClock::time_point now) {
  if (const auto ratio = worked(values, uses)) {
    const std::uint64_t busy = part_of_round(*ratio);
    worked_.busy += busy;
    worked_.idle += part_of_round(1) - busy;
  }
  for (const auto& [user, use] : uses) {
    Work& work = work_[user];
    work.busy += part_of_round(use.utilization.value_or(0));
    work.last = now;
  }
  std::erase_if(work_, [&](const auto& entry) { return now - entry.second.last > keep_; });

  std::vector<EnergyConsumer> consumers;
  std::map<std::string, const DeviceUser*> by_id;
  for (const auto& [user, work] : work_) {
    // Its time counts from its first round on.
    consumers.push_back({.id = id_of(user), .cpu_ns = work.busy, .began = true});
    by_id.emplace(consumers.back().id, &user);
  }
  charged_.clear();
  for (const ConsumerEnergy& one : shares_.add(uj, worked_, consumers))
    if (const auto at = by_id.find(one.id); at != by_id.end() && !one.ended)
      charged_.emplace(*at->second, one.uj);
}

void DeviceLedger::round(const DeviceValues& values, const DeviceUses& uses, DeviceClock::time_point now) {
  last_ = now;
  if (values.lost && !lost_) ++losses_;
  lost_ = values.lost;
  if (lost_) return;
  const std::uint64_t uj = energy_.step(values, now);
  if (energy_.known()) share(values, uses, uj, now);
}

}  // namespace flowtap::telemetry
