// The signals that ask flowtap to end, as a descriptor.
#pragma once

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::cli {

/// Becomes readable with the first SIGINT, SIGTERM or SIGHUP. These signals do not end the process by themselves any
/// more.
[[nodiscard]] inline Result<Fd> stop_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) return fail_errno(errno, "cannot wait for signals");
  return fd;
}

}  // namespace flowtap::cli
