// Which kernel runs, and since which boot.
#pragma once

#include <string>

#include "base/result.hpp"

namespace flowtap {

/// uname -r, or "unknown".
[[nodiscard]] std::string kernel_release();

/// In procfs: a UUID that each boot has anew.
inline constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";
[[nodiscard]] Result<std::string> boot_id();

}  // namespace flowtap
