// What is left to the process that mounts (MountKeeper): one right, and the calls that it needs for its two orders.
#pragma once

namespace flowtap {

/// Where the process has its ends. No other descriptor is of use to it.
inline constexpr int kParent = 0;  ///< the socket to its parent
inline constexpr int kHeld = 1;    ///< the mount that it holds

/// From here on the process has only one capability, CAP_SYS_ADMIN, and may only make the system calls of
/// mount_keeper.cpp, with the arguments that are used there. Any other call ends the process with SIGSYS. False: the
/// right was refused, and nothing may go on. A kernel without filters leaves all calls, as it does to flowtapd, whose
/// component `seccomp` says so.
[[nodiscard]] bool keep_only_mounting();

}  // namespace flowtap
