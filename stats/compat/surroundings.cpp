#include "stats/compat/surroundings.hpp"

#include <utility>

namespace flowtap::stats::compat {

std::string_view label(const Series& series, std::string_view key) {
  const std::string_view keys = family(series.stat->family).labels;
  for (std::size_t i = 0; i < series.labels.size(); ++i)
    if (label_key(keys, i) == key) return series.labels[i];
  return {};
}

Surroundings::Surroundings(const Snapshot& snapshot, std::string host) : host_(std::move(host)) {
  for (const Series& series : snapshot.series) {
    if (series.stat->id == StatId::kDEVICE_INFO)
      models_.emplace(label(series, "device"), label(series, "model"));
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

std::string_view Surroundings::model(const Series& series) const {
  const auto at = models_.find(label(series, "device"));
  return at == models_.end() ? std::string_view() : at->second;
}

const PodOnDevice* Surroundings::pod_on(const Series& series) const {
  const auto at = users_.find(label(series, "device"));
  return at == users_.end() || at->second.pod.empty() ? nullptr : &at->second;
}

}  // namespace flowtap::stats::compat
