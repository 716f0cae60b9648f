#include "telemetry/workloads/file_ledger.hpp"

#include <iterator>
#include <utility>

namespace flowtap::telemetry {
namespace {

// What came on top of `before`; a value that fell is none, and grows from there. One that could not be read this time keeps
// its place.
void add_counters(CgroupValues& to, const CgroupValues& now, CgroupValues& before) {
  for (std::size_t i = 0; i < kCgroupCounters; ++i) {
    if (!now.counters[i]) continue;
    const std::uint64_t old = before.counters[i].value_or(0);
    to.counters[i] = to.counters[i].value_or(0) + (*now.counters[i] > old ? *now.counters[i] - old : 0);
    before.counters[i] = now.counters[i];
  }
}

constexpr bool is_limit(std::size_t gauge) {
  for (const auto limit : {CgroupGauge::kCpuLimit, CgroupGauge::kMemoryLimit, CgroupGauge::kTasksLimit})
    if (gauge == static_cast<std::size_t>(limit)) return true;
  return false;
}

void add_gauges(CgroupValues& to, const CgroupValues& now, bool first) {
  for (std::size_t i = 0; i < kCgroupGauges; ++i) {
    auto& sum = to.gauges[i];
    if (first)
      sum = now.gauges[i];
    else if (is_limit(i) && (!sum || !now.gauges[i]))
      sum.reset();
    else if (now.gauges[i])
      sum = sum.value_or(0) + *now.gauges[i];
  }
}

}  // namespace

void FileLedger::read(Entry& entry, const std::set<std::string>& tops, std::uint64_t& unread) {
  entry.values.gauges = {};
  bool first = true;
  const auto add = [&](Entry::Instance& instance) {
    CgroupValues now;
    if (!instance.cgroup->read(now, unread)) return false;
    add_counters(entry.values, now, instance.counted);
    add_gauges(entry.values, now, std::exchange(first, false));
    return true;
  };
  // Also those that `tops` does not have at the moment: what ran in them has ended, but they are there, and when something
  // runs in them again they are the same.
  for (auto at = entry.instances.begin(); at != entry.instances.end();)
    at = add(at->second) ? std::next(at) : entry.instances.erase(at);
  for (const std::string& path : tops) {
    if (entry.instances.contains(path)) continue;
    Entry::Instance fresh{.cgroup = source_->open(path, unread), .counted = {}};
    if (fresh.cgroup && add(fresh)) entry.instances.emplace(path, std::move(fresh));
  }
}

void FileLedger::round(const std::map<WorkloadName, Workload>& workloads, std::uint64_t& unread) {
  std::erase_if(workloads_, [&](const auto& entry) { return !workloads.contains(entry.first); });
  for (const auto& [name, workload] : workloads) {
    const auto at = workloads_.find(name);
    if (at == workloads_.end() && workload.tops.empty()) continue;
    read(at == workloads_.end() ? workloads_[name] : at->second, workload.tops, unread);
  }
}

}  // namespace flowtap::telemetry
