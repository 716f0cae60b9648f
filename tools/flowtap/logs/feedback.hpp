// A tap that writes to the place from which it reads would show its own output again and again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace flowtap::cli {

/// An Error if the process writes with one of `theirs` to the very place that one of our descriptors `ours` leads to.
/// If that cannot be found out, for example without the right to look at the process, there is no Error.
[[nodiscard]] Status check_no_feedback(std::uint32_t pid, const std::vector<int>& theirs,
                                       const std::vector<int>& ours, const std::string& proc = "/proc");

}  // namespace flowtap::cli
