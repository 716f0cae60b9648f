// Puts the calling thread ahead of all ordinary ones for a while.
#pragma once

#include <sched.h>

#include <cerrno>

namespace flowtap {

/// Makes the calling thread SCHED_FIFO, at the lowest priority of that policy, for as long as this lives. A thread that is
/// real-time already stays what it is.
class ThreadRealtime {
 public:
  ThreadRealtime() {
    // Not pthread_getschedparam(3), which says what glibc remembers.
    policy_ = ::sched_getscheduler(0);
    const int policy = policy_ < 0 ? policy_ : policy_ & ~SCHED_RESET_ON_FORK;
    if (policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE) return;
    const sched_param lowest{.sched_priority = ::sched_get_priority_min(SCHED_FIFO)};
    if (policy < 0 || ::sched_setscheduler(0, SCHED_FIFO, &lowest) != 0)
      error_ = errno;
    else
      changed_ = true;
  }
  ~ThreadRealtime() {
    const sched_param none{};
    if (changed_) ::sched_setscheduler(0, policy_, &none);
  }
  ThreadRealtime(const ThreadRealtime&) = delete;
  ThreadRealtime& operator=(const ThreadRealtime&) = delete;

  /// 0, or why the thread is what it was: EPERM without CAP_SYS_NICE, and in a cgroup without real-time bandwidth.
  [[nodiscard]] int error() const { return error_; }

 private:
  int policy_ = SCHED_OTHER;
  int error_ = 0;
  bool changed_ = false;
};

}  // namespace flowtap
