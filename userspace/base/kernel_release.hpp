// Which kernel runs.
#pragma once

#include <string>

namespace flowtap {

/// uname -r, or "unknown".
[[nodiscard]] std::string kernel_release();

}  // namespace flowtap
