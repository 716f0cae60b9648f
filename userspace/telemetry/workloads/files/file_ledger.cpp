#include "telemetry/workloads/files/file_ledger.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "telemetry/workloads/files/bounded_devices.hpp"

namespace flowtap::telemetry {
namespace {

// Adds what came on top of `before`. A value that fell adds nothing, and grows from there. One that could not be read
// this time keeps its place.
void add_counter(std::optional<std::uint64_t>& to, const std::optional<std::uint64_t>& now,
                 std::optional<std::uint64_t>& before) {
  if (!now) return;
  const std::uint64_t old = before.value_or(0);
  to = to.value_or(0) + (*now > old ? *now - old : 0);
  before = now;
}

void add_counters(CgroupValues& to, const CgroupValues& now, CgroupValues& before) {
  for (std::size_t i = 0; i < kCgroupCounters; ++i)
    add_counter(to.counters[i], now.counters[i], before.counters[i]);
}

bool is_seldom(const WorkloadName& name) {
  return is_sandbox(name) || name.kind == WorkloadKind::kOuter;
}

constexpr bool is_limit(std::size_t gauge) {
  for (const auto limit :
       {CgroupGauge::kCpuLimit, CgroupGauge::kMemoryLimit, CgroupGauge::kSwapLimit, CgroupGauge::kTasksLimit})
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

FileLedger::Clock::time_point FileLedger::due(const std::string& name, Clock::time_point first,
                                              Clock::time_point now, bool seldom) const {
  if (now - first < kYoung) return now;
  constexpr unsigned kPlaces = 64;
  const Clock::duration every = seldom ? kSeldomFactor * every_ : every_;
  const Clock::duration offset = std::hash<std::string>{}(name) % kPlaces * every / kPlaces;
  return now + every - (now - first + offset) % every;
}

void FileLedger::add_io(NamedIo& to, const BlockIo& now, std::optional<BlockIo>& before) {
  BlockIo& last = before ? *before : before.emplace();
  // The number of a device that is gone may be the next one's.
  std::erase_if(last, [&](const auto& of) { return !now.contains(of.first); });
  for (const auto& [device, io] : now) {
    DeviceIo& sum = place_of_device(to, devices_.name(device))->second;
    DeviceIo& old = last[device];
    for (std::size_t i = 0; i < kIoCounters; ++i)
      add_counter(sum.counters[i], io.counters[i], old.counters[i]);
  }
}

bool FileLedger::look(Entry& entry, const std::string& path, Entry::Instance& instance, Clock::time_point now,
                      std::uint64_t& unread) {
  CgroupValues fresh;
  if (!instance.cgroup->read(fresh, unread)) return false;
  add_counters(entry.values, fresh, instance.last);
  if (fresh.io) add_io(entry.io, *fresh.io, instance.last.io);
  instance.last.gauges = fresh.gauges;
  instance.due = due(path, instance.first, now, entry.seldom);
  return true;
}

void FileLedger::open(Entry& entry, const std::string& path, Clock::time_point now, std::uint64_t& unread) {
  Entry::Instance fresh{
      .cgroup = source_->open(path, unread), .last = {}, .first = began_ ? now : now - kYoung, .due = now};
  if (fresh.cgroup && look(entry, path, fresh, now, unread)) entry.instances.emplace(path, std::move(fresh));
}

void FileLedger::read_last(const WorkloadName& name, const std::string& top, Clock::time_point now,
                           std::uint64_t& unread) {
  Entry& entry = workloads_[name];
  if (entry.labels.empty()) entry.labels = name.labels();
  entry.seldom = is_seldom(name);
  const auto at = entry.instances.find(top);
  if (at != entry.instances.end()) {
    if (look(entry, top, at->second, now, unread)) return;
    // The cgroup is gone, and was started again at the same path since: this is the end of the new one.
    entry.instances.erase(at);
  }
  open(entry, top, now, unread);
}

void FileLedger::read(Entry& entry, const std::set<std::string>& tops, Clock::time_point now,
                      std::uint64_t& unread) {
  for (auto at = entry.instances.begin(); at != entry.instances.end();) {
    // These are not in `tops` at the moment: what ran in them has ended. If they exist, and something runs in them
    // again, they are the same.
    const bool idle = now < at->second.due && tops.contains(at->first);
    at = idle || look(entry, at->first, at->second, now, unread) ? std::next(at) : entry.instances.erase(at);
  }
  for (const std::string& path : tops)
    if (!entry.instances.contains(path)) open(entry, path, now, unread);
  entry.values.gauges = {};
  bool first = true;
  for (const auto& [path, instance] : entry.instances)
    add_gauges(entry.values, instance.last, std::exchange(first, false));
}

void FileLedger::round(const std::map<WorkloadName, Workload>& workloads, Clock::time_point now,
                       std::uint64_t& unread) {
  devices_.refresh();
  std::size_t cgroups = 0;
  for (const auto& [name, entry] : workloads_) cgroups += entry.instances.size();
  every_ = std::max<Clock::duration>(kEvery, std::chrono::seconds(cgroups / kPerSecond));
  // Both lists have the same order.
  auto at = workloads_.begin();
  for (const auto& [name, workload] : workloads) {
    while (at != workloads_.end() && at->first < name) at = workloads_.erase(at);
    if (at == workloads_.end() || at->first != name) {
      if (workload.tops.empty()) continue;
      at = workloads_.emplace_hint(
          at, name,
          Entry{
              .values = {}, .io = {}, .instances = {}, .labels = workload.labels, .seldom = is_seldom(name)});
    }
    read(at->second, workload.tops, now, unread);
    ++at;
  }
  workloads_.erase(at, workloads_.end());
  began_ = began_ || !workloads.empty();
}

}  // namespace flowtap::telemetry
