#include "stats/compat/surroundings.hpp"

#include <utility>

namespace flowtap::stats::compat {

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
  for (const Series& series : snapshot.series) {
    if (series.stat->id != StatId::kWORKLOAD_INFO) continue;
    const auto text = [&](std::string_view key) { return std::string(label(series, key)); };
    all.insert_or_assign(workload_of(series), InstanceOfWorkload{.id = text("container_id"),
                                                                 .image = text("image"),
                                                                 .cgroup = text("cgroup"),
                                                                 .pod_uid = text("pod_uid"),
                                                                 .runtime = text("runtime")});
  }
  return all;
}

Surroundings::Surroundings(const Snapshot& snapshot, std::string host, std::shared_ptr<const Instances> last)
    : host_(std::move(host)), instances_(read_instances(snapshot)), last_(std::move(last)) {
  for (const Series& series : snapshot.series) {
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

const PodOnDevice* Surroundings::pod_on(const Series& series) const {
  const auto at = users_.find(label(series, "device"));
  return at == users_.end() || at->second.pod.empty() ? nullptr : &at->second;
}

}  // namespace flowtap::stats::compat
