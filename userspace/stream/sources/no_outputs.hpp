// Why the kernel lists no output of a process.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace flowtap {

/// Codes: ESRCH it has none (a thread of the kernel, a process that has ended), EACCES flowtapd may not look at them, ENOTSUP both are
/// closed. `proc` is a procfs in which the process is seen.
[[nodiscard]] Error why_no_outputs(std::uint32_t pid, const std::string& proc = "/proc");

}  // namespace flowtap
