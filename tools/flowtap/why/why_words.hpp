// A diagnosis in a few words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::cli {

/// What "NAMESPACE/POD is" goes on with: "bound to node3", "pending: none of 3 nodes fits; 2 lack GPU memory, 1 has too few cards".
/// Fit to be shown.
[[nodiscard]] std::string state_words(const diagnosis::Diagnosis& diagnosis);

/// The same without its "pending: ", where the state is said otherwise.
[[nodiscard]] std::string why_words(const diagnosis::Diagnosis& diagnosis);

/// "none of 3 nodes fits"; `nodes` is at least 1.
[[nodiscard]] std::string no_node_words(std::size_t nodes);

/// "NodeAffinity, NodePorts". Fit to be shown.
[[nodiscard]] std::string list_words(const std::vector<std::string>& all);

}  // namespace flowtap::cli
