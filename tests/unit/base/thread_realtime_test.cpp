#include "base/threads/thread_realtime.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace flowtap {
namespace {

// Sets the calling thread's policy.
bool set(int policy, int priority) {
  const sched_param param{.sched_priority = priority};
  return ::sched_setscheduler(0, policy, &param) == 0;
}

class Realtime : public testing::Test {
 protected:
  void SetUp() override {
    bool allowed = false;
    std::thread([&allowed] { allowed = set(SCHED_FIFO, 1); }).join();
    if (!allowed) GTEST_SKIP() << "nobody may be real-time here";
  }
};

TEST_F(Realtime, IsTheThreadsOwnAndForAWhile) {
  const int others = ::sched_getscheduler(0);
  std::thread([others] {
    const pid_t parent = ::getpid();
    ASSERT_TRUE(set(SCHED_BATCH, 0));
    {
      const ThreadRealtime ahead;
      EXPECT_EQ(ahead.error(), 0);
      EXPECT_EQ(::sched_getscheduler(0), SCHED_FIFO);
      EXPECT_EQ(::sched_getscheduler(parent), others);
    }
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH);
  }).join();
  EXPECT_EQ(::sched_getscheduler(0), others);
}

TEST_F(Realtime, AThreadThatIsRealTimeAlreadyKeepsItsPriority) {
  std::thread([] {
    ASSERT_TRUE(set(SCHED_RR | SCHED_RESET_ON_FORK, 7));
    {
      const ThreadRealtime ahead;
      EXPECT_EQ(ahead.error(), 0);
      EXPECT_EQ(::sched_getscheduler(0), SCHED_RR | SCHED_RESET_ON_FORK);
    }
    sched_param param{};
    EXPECT_EQ(::sched_getparam(0, &param), 0);
    EXPECT_EQ(param.sched_priority, 7);
  }).join();
}

}  // namespace
}  // namespace flowtap
