// Of how many nodes each reason is, whether a scheduler names the nodes or only counts them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {

/// What kube-scheduler counts of nodes of which the NUMA-aware scheduler's plugin says that their topology data are invalid.
constexpr std::string_view kInvalidTopology = "invalid node topology data";

struct FailedNodes {
  std::size_t nodes = 0;  ///< that failed
  std::vector<NodesReason>
      by_reason;  ///< most nodes first; of a node's reasons that of most cards; "": none is said
  std::vector<NodesReason> unnamed;  ///< of those that are counted and not among the diagnosis' nodes
};

[[nodiscard]] FailedNodes failed_nodes(const Diagnosis& diagnosis);

/// Of the container that failed, or the node's own.
[[nodiscard]] const std::string& reason_of(const NodeVerdict& node);

}  // namespace flowtap::diagnosis
