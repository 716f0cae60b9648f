// Gives the calling thread another niceness for a while.
#pragma once

#include <sys/resource.h>

#include <cerrno>

namespace flowtap {

/// Holds for as long as it lives, as far as the thread may set it (a lower one needs CAP_SYS_NICE).
class ThreadNice {
 public:
  explicit ThreadNice(int nice) {
    errno = 0;
    before_ = ::getpriority(PRIO_PROCESS, 0);
    known_ = errno == 0 && ::setpriority(PRIO_PROCESS, 0, nice) == 0;
  }
  ~ThreadNice() {
    if (known_) ::setpriority(PRIO_PROCESS, 0, before_);
  }
  ThreadNice(const ThreadNice&) = delete;
  ThreadNice& operator=(const ThreadNice&) = delete;

 private:
  int before_ = 0;
  bool known_ = false;
};

}  // namespace flowtap
