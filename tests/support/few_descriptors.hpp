// A process that has almost no file descriptors left.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/fd.hpp"

namespace flowtap::test {

/// As long as it lives, this process can open `free` more files at most. UBSan opens a pipe when it sees a type for the first
/// time, so whatever is called meanwhile is to be called once before.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t free) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    // This gets the lowest free number, which is free again when the constructor is done.
    const Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit few{.rlim_cur = static_cast<rlim_t>(next.get()) + free, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace flowtap::test
