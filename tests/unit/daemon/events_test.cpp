#include "daemon/events.hpp"

#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): raise is POSIX's

#include <map>
#include <thread>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

TEST(Events, NeitherLooksNorTicksKeepTheOthersAway) {
  auto events = Events::open(1ms, 1ms);
  ASSERT_TRUE(events);
  std::map<Event, int> came;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(5ms);  // each look around takes longer than its period
    ++came[events->wait()];
  }
  EXPECT_EQ(came[Event::kLook], 10);
  EXPECT_EQ(came[Event::kTick], 10);
}

TEST(Events, ALookDoesNotWaitForALongCycle) {
  auto events = Events::open(1h, 1ms);
  ASSERT_TRUE(events);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(events->wait(), Event::kLook);
}

TEST(Events, ASignalGoesFirst) {
  auto events = Events::open(1ms, 1ms);
  ASSERT_TRUE(events);
  ::raise(SIGHUP);
  std::this_thread::sleep_for(5ms);  // then a look and a tick are due as well
  EXPECT_EQ(events->wait(), Event::kReload);
}

}  // namespace
}  // namespace flowtap
