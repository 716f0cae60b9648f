// Files of a cgroup by their path: nothing in it leads out of the hierarchy, whoever made the cgroup.
#pragma once

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.hpp"

namespace flowtap::telemetry {

/// `path` has no slash in front. Not valid: errno tells why.
[[nodiscard]] inline Fd open_beneath(const Fd& directory, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<decltype(how.flags)>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, directory.get(), path, &how, sizeof(how))));
}

}  // namespace flowtap::telemetry
