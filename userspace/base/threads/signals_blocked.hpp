// Threads that libraries start take no signal away from the threads that wait for them.
#pragma once

#include <pthread.h>

#include <csignal>

namespace flowtap {

/// Blocks all signals for as long as it lives, in this thread and in those that it starts.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace flowtap
