#include "base/threads/thread_nice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace flowtap {
namespace {

TEST(ThreadNice, IsItsOwnAndForAWhile) {
  const int others = ::getpriority(PRIO_PROCESS, 0);
  // The tests themselves may run behind everything else, and there is nothing behind 19 (setpriority(2)).
  const int nicer = std::min(others + 2, 19);
  const int nicest = std::min(others + 5, 19);
  std::thread([nicer, nicest] {
    ::setpriority(PRIO_PROCESS, 0, nicer);
    {
      const ThreadNice less(nicest);
      EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), nicest);
    }
    // Who may not come back from there stays: that is no error.
    const int now = ::getpriority(PRIO_PROCESS, 0);
    EXPECT_TRUE(now == nicer || now == nicest) << now;
  }).join();
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), others);
}

}  // namespace
}  // namespace flowtap
