// What the tests of taking over a log tap share.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <functional>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_pinned.hpp"

namespace flowtap::test {

using LogTapTakeover = PinnedTap;

/// The same with each backend.
class PinnedTapOfEach : public PinnedTap, public ::testing::WithParamInterface<kernel::LogBackend> {
 protected:
  void SetUp() override {
    PinnedTap::SetUp();
    options_.backend = GetParam();
    FLOWTAP_SKIP_IF_REFUSED(GetParam());
  }
};

/// The hooks of the sys_exit backend: calls, exec, exit, fork, rmdir.
inline constexpr std::size_t kPrograms = 5;

/// Runs checks in a process of their own; true when none has failed. What they print is shown here.
inline bool holds_in_child(const std::function<void()>& checks) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    checks();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace flowtap::test
