// A diagnosis in a few words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::cli {

/// The words after "NAMESPACE/POD": "is bound to node3", "is pending: none of 3 nodes fits; 2 lack GPU memory, 1 has too
/// few cards", "was ended on node3 to make room for shop/web". Safe to show.
[[nodiscard]] std::string state_words(const diagnosis::Diagnosis& diagnosis);

/// The same without "is" and "pending: ", for places that show the state in another way.
[[nodiscard]] std::string why_words(const diagnosis::Diagnosis& diagnosis);

/// The state in one word, and its colour for a terminal. Kubernetes' own words for the phases of a pod mean something else.
struct PodWord {
  std::string_view word;  ///< "bound", "waiting", "unschedulable", "not bound", "deleted" or "ended"
  const char* color = "";
};
[[nodiscard]] PodWord pod_word(const diagnosis::Diagnosis& diagnosis);

/// "none of 3 nodes fits"; `nodes` is at least 1.
[[nodiscard]] std::string no_node_words(std::size_t nodes);

/// "NodeAffinity, NodePorts". Safe to show.
[[nodiscard]] std::string list_words(const std::vector<std::string>& all);

}  // namespace flowtap::cli
