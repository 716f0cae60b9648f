// Another niceness of the calling thread for a while.
#pragma once

#include <sys/resource.h>

#include <cerrno>

namespace flowtap {

/// For as long as it lives, as far as the thread may (CAP_SYS_NICE, where the new one is lower).
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
