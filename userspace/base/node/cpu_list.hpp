// The kernel's list format for CPUs and nodes: "0-3,7,9-11".
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap {

/// The numbers in ascending order, none twice. An empty list is valid (a node without CPUs). Numbers over
/// 65,535, reversed ranges and anything else are errors. Format: Documentation/admin-guide/cputopology.rst
[[nodiscard]] Result<std::vector<unsigned>> parse_cpu_list(std::string_view text);

}  // namespace flowtap
