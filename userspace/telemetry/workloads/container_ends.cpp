#include "telemetry/workloads/container_ends.hpp"

namespace flowtap::telemetry {

void ContainerEnds::note(EndedContainer ended) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = by_name_[ended.name];
  by_number_.erase(entry.number);
  entry.number = ++numbers_;
  by_number_.emplace(entry.number, ended.name);
  entry.ended = std::move(ended);
  if (by_name_.size() <= kMost) return;
  by_name_.erase(by_number_.begin()->second);
  by_number_.erase(by_number_.begin());
}

std::vector<EndedContainer> ContainerEnds::of_pod(std::string_view ns, std::string_view pod) const {
  const std::scoped_lock lock(mutex_);
  std::vector<EndedContainer> all;
  const WorkloadName first{.kind = WorkloadKind::kPod,
                           .ns = std::string(ns),
                           .pod = std::string(pod),
                           .container = {},
                           .workload = {}};
  for (auto at = by_name_.lower_bound(first);
       at != by_name_.end() && at->first.kind == first.kind && at->first.ns == ns && at->first.pod == pod;
       ++at)
    all.push_back(at->second.ended);
  return all;
}

}  // namespace flowtap::telemetry
