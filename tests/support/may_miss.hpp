// Whether a kernel keeps the log tap's programs from running.
#pragma once

#include <sys/utsname.h>

#include <cstdlib>

namespace flowtap::test {

/// Whether this kernel may preempt the programs of both backends whatever mode it is asked for, and so may miss some: from 7.x
/// on. (Before, it does not preempt those at the tracepoint of system calls, and modes that preempt none can be chosen.)
[[nodiscard]] inline bool may_miss() {
  utsname name{};
  return ::uname(&name) == 0 && std::atoi(static_cast<const char*>(name.release)) >= 7;
}

}  // namespace flowtap::test
