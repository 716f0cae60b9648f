// The system calls that flowtapd gives up once everything is started (seccomp(2)).
#pragma once

#include "base/result.hpp"

namespace flowtap {

/// The component's name in status, log and metrics.
inline constexpr const char* kSeccomp = "seccomp";

/// From here on, calls that only an intruder in this process would make fail with EPERM: other programs, other
/// processes' memory, mounts, namespaces, modules, the clock, other users' rights (the list is in the .cpp). This is
/// for good and holds for all threads that are made later: call it after drop_privileges() and before the first thread.
/// An Error: the kernel takes no filter, and all calls stay as they were.
[[nodiscard]] Status refuse_system_calls();

}  // namespace flowtap
