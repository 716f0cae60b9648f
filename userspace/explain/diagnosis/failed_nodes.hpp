// How many nodes each reason has, whether a scheduler names the nodes or only counts them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {

/// Under this reason kube-scheduler counts nodes whose topology data are invalid, as the NUMA-aware scheduler's plugin says.
constexpr std::string_view kInvalidTopology = "invalid node topology data";
/// What the plugin's line about such a node says.
constexpr std::string_view kInvalidData = "invalid topology data";

/// A line of kube-scheduler about a node begins so, and names the taints. From 1.35 on they are counted without names.
constexpr std::string_view kTaintsOfNode = "node had untolerated taints";
constexpr std::string_view kSomeTaint = "node(s) had untolerated taint(s)";
/// HAMi's sentence if no node is left, as a pattern (facts/text_pattern.hpp).
constexpr std::string_view kNoneLeftByHami = "no available node, <count> nodes do not meet";

struct FailedNodes {
  std::size_t nodes = 0;   ///< how many failed: those that the diagnosis names, and `others`
  std::size_t others = 0;  ///< how many of them are not named
  bool cut = false;        ///< the reason of one that is named goes on, and it is cut off
  bool at_most =
      false;  ///< nobody says how many there are, and `nodes` counts one with several reasons several times
  std::vector<NodesReason>
      by_reason;  ///< most nodes first; a node counts for the reason of most of its cards; "": none is said
  std::vector<NodesReason>
      unnamed;  ///< why the others failed; a node with several reasons is in each of them
};

/// Whether a message of HAMi's about the nodes that are left out breaks off without any mark.
[[nodiscard]] bool breaks_off_hamis(std::string_view message);

[[nodiscard]] FailedNodes failed_nodes(const Diagnosis& diagnosis);

/// The reason of the container that failed, or the node's own.
[[nodiscard]] const std::string& reason_of(const NodeVerdict& node);

}  // namespace flowtap::diagnosis
