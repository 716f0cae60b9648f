// kube-scheduler's sentence about a pod that has its node already: a plugin rejects it there, at Reserve, Permit or PreBind. It is
// worded as if no node was left, and counts the chosen node alone: "0/1 nodes are available: 1 optimistic rejection in PostFilter."
#pragma once

#include <cstddef>
#include <string_view>

#include "explain/diagnosis/fit_error.hpp"

namespace flowtap::diagnosis {

/// What the plugins of gangs say of a pod whose gang is not complete, or is turned down.
inline constexpr std::string_view kGangWaits =
    "waiting for minCount pods from a gang to be waiting on permit";
inline constexpr std::string_view kGangRejected = "gang rejection by another ganggroup";

/// What one scheduler's sentences about nodes have shown of its cluster.
class ClusterSeen {
 public:
  /// Whether the sentence, which is the scheduler's next one, is about a chosen node. In most cases the reason tells that. Some
  /// count so in a cluster of several nodes, as does one that nobody knows, if sentences about all of them have told of preemption
  /// and this one does not.
  [[nodiscard]] bool is_of_chosen_node(const FitError& error);

 private:
  std::size_t nodes_ = 0;  // of the latest sentence that is about all of them; 0: there was none
  bool tells_preemption_ = false;
};

/// Why the pod was rejected on its node: the sentence without what it counts. Any other sentence stays as it is.
[[nodiscard]] std::string_view cause_on_chosen_node(std::string_view sentence);

}  // namespace flowtap::diagnosis
