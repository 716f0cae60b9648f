// Signals as a descriptor, above all those that ask flowtap to end.
#pragma once

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::cli {

/// Becomes readable with the first of these signals. They do what they do by default no more.
[[nodiscard]] inline Result<Fd> signals_as_fd(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) return fail_errno(errno, "cannot wait for signals");
  return fd;
}

/// Those that ask a program to end.
[[nodiscard]] inline Result<Fd> stop_signals() {
  return signals_as_fd({SIGINT, SIGTERM, SIGHUP});
}

}  // namespace flowtap::cli
