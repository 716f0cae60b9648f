#include "explain/diagnosis/facts/group_names.hpp"

#include <algorithm>
#include <array>

namespace flowtap::diagnosis {
namespace {

constexpr std::array<std::string_view, 7> kOfGroups = {
    "Attempting to schedule pod group",
    "Attempting to schedule a pod belonging to a pod group",
    "Running a pod group scheduling algorithm",
    "Pod group is waiting for preemption",
    "Unable to schedule a pod group",
    "Successfully scheduled a pod group",
    "Error scheduling pod group"};

}  // namespace

bool GroupNames::are_named_by(std::string_view message) {
  return std::ranges::find(kOfGroups, message) != kOfGroups.end();
}

// Most records are of the same pod as the one before.
void GroupNames::note_pod(const flow::FlowKey& pod) {
  pod_.clear();
  pod.put(pod_);
  if (pod_ == last_pod_) return;
  pods_.put(pod_, {});
  last_pod_.swap(pod_);
}

}  // namespace flowtap::diagnosis
