#include "telemetry/workloads/outer_cgroups.hpp"

#include <algorithm>
#include <string_view>

#include "base/file.hpp"
#include "telemetry/collecting/kernel_file.hpp"
#include "telemetry/node/memory.hpp"
#include "telemetry/workloads/files/file_series.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

constexpr std::string_view kRootPath = "/";
constexpr std::size_t kUidOfInstance = 8;  // among the labels of Workload::instances

std::string above(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? std::string(kRootPath) : path.substr(0, slash);
}

// kubelet puts the uid into the name of the pod's cgroup; systemd's slices cannot have its dashes.
bool is_pods(std::string_view path, std::string uid) {
  if (uid.empty()) return false;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.contains(uid)) return true;
  std::ranges::replace(uid, '-', '_');
  return name.contains(uid);
}

WorkloadName name_of(const std::string& path, const WorkloadName& pod) {
  return {.kind = WorkloadKind::kOuter, .ns = pod.ns, .pod = pod.pod, .container = {}, .workload = path};
}

// The row of a cgroup that is no container: its path, and the uid of its pod.
stats::Labels info_of(const stats::Labels& labels, const std::string& path, const std::string& uid) {
  std::vector<std::string> all(labels.begin(), labels.end());
  all.insert(all.end(), {"", "", path, uid, ""});
  return all;
}

std::optional<double> sum_of(std::optional<double> a, const std::optional<double>& b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

}  // namespace

void OuterCgroups::find(const std::map<WorkloadName, Workload>& workloads) {
  outer_.clear();
  pods_.clear();
  std::map<std::string, WorkloadName> pods;              // by the path of their cgroups
  std::set<std::string> others{std::string(kRootPath)};  // the root is there without any workload
  const auto add_above = [&others](std::string path) {
    while (others.insert(path).second) path = above(path);
  };
  for (const auto& [name, workload] : workloads)
    for (const std::string& top : workload.tops) {
      if (top == kRootPath) continue;
      const std::string parent = above(top);
      const auto instance = workload.instances.find(top);
      const std::string uid =
          instance == workload.instances.end() ? std::string() : instance->second[kUidOfInstance];
      if (name.kind == WorkloadKind::kPod && is_pods(parent, uid)) {
        pods.emplace(parent, name);
        pods_.emplace(parent, Pod{.uid = uid, .processes = 0, .started = {}});
        add_above(above(parent));
      } else {
        add_above(parent);
      }
    }
  const auto add = [this](WorkloadName name, const std::string& path) {
    auto labels = name.labels();
    outer_.emplace(std::move(name), Workload{.usage = {}, .tops = {path}, .labels = std::move(labels)});
  };
  for (const auto& [path, pod] : pods) add(name_of(path, pod), path);
  for (const std::string& path : others)
    if (!pods.contains(path)) add(name_of(path, {}), path);
}

void OuterCgroups::look_inside(const FileLedger& inside, const NetworkLedger& networks) {
  for (const auto& [name, entry] : inside.workloads()) {
    if (name.kind != WorkloadKind::kPod) continue;
    for (const auto& [path, instance] : entry.instances) {
      const auto pod = pods_.find(above(path));
      if (pod == pods_.end()) continue;
      pod->second.processes = sum_of(pod->second.processes, instance.last[CgroupGauge::kProcesses]);
      if (const auto started = networks.started(entry))
        pod->second.started = std::min(*started, pod->second.started.value_or(*started));
    }
  }
}

void OuterCgroups::round(const std::map<WorkloadName, Workload>& workloads, const FileLedger& inside,
                         const NetworkLedger& networks, FileLedger::Clock::time_point now,
                         std::uint64_t& unread) {
  find(workloads);
  look_inside(inside, networks);
  files_.round(outer_, now, unread);
}

// As in the kernel's own sum for all cgroups: what is not free is used.
void OuterCgroups::add_root_memory(CgroupValues& values) const {
  const auto text = read_file(proc_ + "/meminfo", kMostKernelText);
  if (!text) return;
  Collected all;
  parse_meminfo(*text, all);
  const auto bytes = [&all](StatId id) -> std::optional<double> {
    const auto at = std::ranges::find(all.series, id, [](const stats::Series& s) { return s.stat->id; });
    if (at == all.series.end()) return std::nullopt;
    const auto* count = std::get_if<std::uint64_t>(&at->value);
    return count == nullptr ? std::get<double>(at->value) : static_cast<double>(*count);
  };
  const auto used = [&bytes](StatId total, StatId free) -> std::optional<double> {
    const auto all_of = bytes(total);
    const auto free_of = bytes(free);
    return all_of && free_of ? std::optional(*all_of - *free_of) : std::nullopt;
  };
  values[CgroupGauge::kMemory] = used(StatId::kNODE_MEMORY_TOTAL, StatId::kNODE_MEMORY_FREE);
  values[CgroupGauge::kSwap] = used(StatId::kNODE_MEMORY_SWAP_TOTAL, StatId::kNODE_MEMORY_SWAP_FREE);
  values.derive();
}

void OuterCgroups::append_series(const std::map<WorkloadName, Workload>& workloads,
                                 std::vector<stats::Series>& out) const {
  const stats::Stat& info = stats::stat(StatId::kWORKLOAD_INFO);
  for (const auto& [name, entry] : files_.workloads()) {
    if (entry.instances.empty()) continue;
    const std::string& path = name.workload;
    const auto pod = pods_.find(path);
    CgroupValues values = entry.values;
    values[CgroupGauge::kProcesses] = pod == pods_.end() ? std::nullopt : pod->second.processes;
    // They count up the tree: the container has them already.
    values[CgroupCounter::kOomKills].reset();
    if (path == kRootPath) {
      if (!values[CgroupGauge::kMemory]) add_root_memory(values);
      // The machine is the limit.
      for (const auto limit : {CgroupGauge::kMemoryLimit, CgroupGauge::kSwapLimit, CgroupGauge::kReservation})
        values[limit].reset();
    }
    out.push_back(
        {&info, info_of(entry.labels, path, pod == pods_.end() ? "" : pod->second.uid), std::uint64_t{1}});
    if (const auto& cpu = values[CgroupCounter::kCpu])
      out.push_back({&stats::stat(StatId::kWORKLOAD_CPU), entry.labels, static_cast<double>(*cpu) * 1e-9});
    telemetry::append_series(values, entry.io, entry.labels, out);
    append_unset(values, entry.labels, out);
    if (pod != pods_.end() && pod->second.started)
      out.push_back({&stats::stat(StatId::kWORKLOAD_START), entry.labels, *pod->second.started});
  }
  for (const auto& [name, workload] : workloads)
    if (name.kind == WorkloadKind::kUnit && !workload.tops.empty())
      out.push_back({&info, info_of(workload.labels, *workload.tops.begin(), {}), std::uint64_t{1}});
}

}  // namespace flowtap::telemetry
