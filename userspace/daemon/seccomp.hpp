// The system calls that flowtapd gives up once everything is started (seccomp(2)).
#pragma once

#include "base/result.hpp"

namespace flowtap {

/// The component's name in status, log and metrics.
inline constexpr const char* kSeccomp = "seccomp";

/// From here on what only a process that somebody else has taken over would call fails with EPERM: other
/// programs, other processes' memory, mounts, namespaces, modules, the clock, other users' rights (the list is
/// in the .cpp). For good, and for all threads made from here on: call it after drop_privileges() and before
/// the first thread. An Error: the kernel takes no filter, and all calls stay as they were.
[[nodiscard]] Status refuse_system_calls();

}  // namespace flowtap
