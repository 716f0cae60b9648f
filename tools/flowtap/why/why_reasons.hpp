// How many nodes have each reason, in words. A node may have several reasons with the same words, and then nobody knows how many
// nodes have any of them: it is said what is certain.
#pragma once

#include <string>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/failed_nodes.hpp"

namespace flowtap::cli {

/// "2 lack GPU memory, 1 has too few cards", "at least 2 lack GPUs". `reasons` are those of `failed`, or most of them; no number is
/// larger than that of its nodes. Safe to show.
[[nodiscard]] std::string reasons_words(const std::vector<diagnosis::NodesReason>& reasons,
                                        const diagnosis::FailedNodes& failed);

}  // namespace flowtap::cli
