#include "explain/diagnosis/chosen_node.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/facts/text_pattern.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kOneNode = "0/1 nodes are available: 1 ";

// No plugin says one of these of a node that the pod does not have.
constexpr auto kOnChosenNode = std::to_array<std::string_view>(
    {"<>rejected due to timeout after waiting <>", "<>rejected while waiting on permit: <>",
     "optimistic rejection in PostFilter", "preempted", "removed", "rejection in Unreserve", kGangRejected,
     kGangWaits, "<>PodGroup <> gets rejected due to <>", "<>Gang <> gets rejected due to <>",
     "waiting for resource driver to <>", "failed to assume ResourceClaim<>", "<>device binding timeout<>",
     "<>claim <> binding <>", "<>claim <> in the meantime<>"});
// These are said of the chosen node, or of the pod before any node is looked at. Up to about 1.25 the latter is counted for all nodes,
// so that in a cluster of one node nobody can tell.
constexpr auto kOnChosenNodeOrNone =
    std::to_array<std::string_view>({"PodGroup not found", "resourceclaim in use"});

bool is_one_of(std::span<const std::string_view> patterns, std::string_view reason) {
  return std::ranges::any_of(patterns, [reason](std::string_view pattern) {
    return matches(pattern, reason, [](std::string_view, std::string_view) {});
  });
}

}  // namespace

bool ClusterSeen::is_of_chosen_node(const FitError& error) {
  if (error.nodes == 1 && error.reasons.size() == 1 && error.counts_all && error.preemption.empty()) {
    const std::string& reason = error.reasons.front().reason;
    if (is_one_of(kOnChosenNode, reason)) return true;
    if (nodes_ > 1 &&
        (is_one_of(kOnChosenNodeOrNone, reason) || (tells_preemption_ && advice_row(reason) == nullptr)))
      return true;
  }
  if (error.nodes > 0) nodes_ = error.nodes;
  tells_preemption_ = tells_preemption_ || error.preemption.contains(kPreemption);
  return false;
}

std::string_view cause_on_chosen_node(std::string_view sentence) {
  if (!sentence.starts_with(kOneNode)) return sentence;
  sentence.remove_prefix(kOneNode.size());
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

}  // namespace flowtap::diagnosis
