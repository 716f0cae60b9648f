#include "explain/diagnosis/chosen_node.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/facts/text_pattern.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kOneNode = "0/1 nodes are available: 1 ";

// No plugin says one of these of a node that the pod does not have.
constexpr std::array<std::string_view, 12> kOnChosenNode = {"<>rejected due to timeout after waiting <>",
                                                            "optimistic rejection in PostFilter",
                                                            "preempted",
                                                            "removed",
                                                            "rejection in Unreserve",
                                                            "gang rejection by another ganggroup",
                                                            "<>PodGroup <> gets rejected due to <>",
                                                            "<>Gang <> gets rejected due to <>",
                                                            "failed to assume ResourceClaim<>",
                                                            "<>device binding timeout<>",
                                                            "<>claim <> binding <>",
                                                            "<>claim <> in the meantime<>"};

bool is_on_chosen_node(std::string_view reason) {
  return std::ranges::any_of(kOnChosenNode, [reason](std::string_view pattern) {
    return matches(pattern, reason, [](std::string_view, std::string_view) {});
  });
}

}  // namespace

bool ClusterSeen::is_of_chosen_node(const FitError& error) {
  if (error.nodes == 1 && error.reasons.size() == 1 && error.preemption.empty()) {
    const std::string& reason = error.reasons.front().reason;
    if (is_on_chosen_node(reason)) return true;
    if (nodes_ > 1 && tells_preemption_ && advice_row(reason) == nullptr) return true;
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
