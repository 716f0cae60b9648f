// Which of several threads runs, on one CPU.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

namespace flowtap::test {

/// From now on the calling thread runs on the first CPU only.
inline void pin_here() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  EXPECT_EQ(::sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

/// From now on the calling thread runs before all that have a lower priority (SCHED_FIFO), or none.
inline void rank_first(int priority) {
  const sched_param rank{.sched_priority = priority};
  EXPECT_EQ(::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &rank), 0);
}

}  // namespace flowtap::test
