// The log tap's view of a descriptor.
#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>

#include "base/result.hpp"
#include "kernel/log/log_streams.hpp"

namespace flowtap::test {

/// What stands behind a descriptor, as the tap knows it.
[[nodiscard]] inline Result<kernel::LogTarget> log_target(int fd, ftap_log_kind kind) {
  struct stat st{};
  if (::fstat(fd, &st) != 0) return fail_errno(errno, "cannot stat a descriptor");
  kernel::LogTarget target;
  target.device = ::gnu_dev_major(st.st_dev) << 20U | ::gnu_dev_minor(st.st_dev);
  target.inode = st.st_ino;
  target.kind = kind;
  target.fds = FTAP_STDOUT;
  return target;
}

}  // namespace flowtap::test
