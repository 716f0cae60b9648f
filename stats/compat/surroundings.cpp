#include "stats/compat/surroundings.hpp"

#include <utility>

#include "base/flows/sandbox_container.hpp"
#include "stats/workload_labels.hpp"

namespace flowtap::stats::compat {
namespace {

constexpr std::size_t kContainerOfKey = 3;  // in a WorkloadKey

}  // namespace

std::string_view label(const Series& series, std::string_view key) {
  const std::string_view keys = family(series.stat->family).labels;
  for (std::size_t i = 0; i < series.labels.size(); ++i)
    if (label_key(keys, i) == key) return series.labels[i];
  return {};
}

WorkloadKey workload_of(const Series& series) {
  const auto text = [&](std::string_view key) { return std::string(label(series, key)); };
  return {text("kind"), text("namespace"), text("pod"), text("container"), text("workload")};
}

Instances read_instances(const Snapshot& snapshot) {
  Instances all;
  for (const auto* series_of : {&snapshot.series, &snapshot.for_compat})
    for (const Series& series : *series_of) {
      if (series.stat->id != StatId::kWORKLOAD_INFO) continue;
      const auto text = [&](std::string_view key) { return std::string(label(series, key)); };
      const InstanceOfWorkload instance{.id = text("container_id"),
                                        .image = text("image"),
                                        .cgroup = text("cgroup"),
                                        .pod_uid = text("pod_uid"),
                                        .runtime = text("runtime")};
      WorkloadKey key = workload_of(series);
      all.insert_or_assign(key, instance);
      if (text("kind") != "pod" || text("container") != kSandboxContainer) continue;
      std::get<kContainerOfKey>(key).clear();
      all.insert_or_assign(std::move(key), instance);
    }
  return all;
}

Surroundings::Surroundings(const Snapshot& snapshot, std::string host, std::shared_ptr<const Instances> last)
    : host_(std::move(host)), instances_(read_instances(snapshot)), last_(std::move(last)) {
  for (const auto* series_of : {&snapshot.series, &snapshot.for_compat})
    for (const Series& series : *series_of)
      if (series.stat->id == StatId::kWORKLOAD_CPU_LIMIT) quotas_.insert(workload_of(series));
  for (const auto& [key, instance] : instances_) {
    const auto& [kind, ns, pod, container, workload] = key;
    if (kind == kOuterKind && !pod.empty()) pods_.emplace(std::pair(ns, pod), instance);
  }
  for (const Series& series : snapshot.series) {
    if (series.stat->id == StatId::kNODE_FILESYSTEM_SIZE)
      mounts_.try_emplace(std::string(label(series, "device")), label(series, "mountpoint"));
    if (series.stat->id == StatId::kNODE_MACHINE && machine_.empty())
      for (const char* key : {"machine_id", "system_uuid", "boot_id"})
        if (const auto id = label(series, key); !id.empty()) machine_.emplace_back(key, id);
    if (series.stat->id == StatId::kDEVICE_INFO)
      cards_.try_emplace(std::string(label(series, "device")), std::string(label(series, "model")),
                         std::string(label(series, "index")), std::string(label(series, "node")));
    if (series.stat->id != StatId::kWORKLOAD_DEVICE_PROCESSES || label(series, "kind") != "pod" ||
        !label(series, "instance").empty())
      continue;
    PodOnDevice user{.ns = std::string(label(series, "namespace")),
                     .pod = std::string(label(series, "pod")),
                     .container = std::string(label(series, "container"))};
    const auto [at, fresh] = users_.try_emplace(std::string(label(series, "device")), user);
    if (fresh) continue;
    PodOnDevice& known = at->second;
    if (known.ns == user.ns && known.pod == user.pod)
      known.container.clear();
    else
      known = {};
  }
}

const CardOfDevice& Surroundings::card(const Series& series) const {
  static const CardOfDevice kUnknown;
  const auto at = cards_.find(label(series, "device"));
  return at == cards_.end() ? kUnknown : at->second;
}

const InstanceOfWorkload* Surroundings::instance(const Series& series) const {
  const auto at = instances_.find(workload_of(series));
  return at == instances_.end() ? nullptr : &at->second;
}

const InstanceOfWorkload* Surroundings::last_instance(const Series& series) const {
  if (const InstanceOfWorkload* const now = instance(series)) return now;
  if (!last_) return nullptr;
  const auto at = last_->find(workload_of(series));
  return at == last_->end() ? nullptr : &at->second;
}

const InstanceOfWorkload* Surroundings::pod(const Series& series) const {
  const auto at = pods_.find({std::string(label(series, "namespace")), std::string(label(series, "pod"))});
  return at == pods_.end() ? nullptr : &at->second;
}

bool Surroundings::is_first_mount(const Series& series) const {
  const auto at = mounts_.find(label(series, "device"));
  return at != mounts_.end() && at->second == label(series, "mountpoint") && at->first.starts_with('/');
}

const PodOnDevice* Surroundings::pod_on(const Series& series) const {
  const auto at = users_.find(label(series, "device"));
  return at == users_.end() || at->second.pod.empty() ? nullptr : &at->second;
}

}  // namespace flowtap::stats::compat
