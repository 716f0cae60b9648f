// Which troubles are logged, and how often.
#include "component/trouble_log.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

constexpr TroubleLog::Clock::time_point kStart{1h};

TEST(TroubleLog, OneThatLastsIsNewOnce) {
  TroubleLog log;
  const Status bad = fail("it is full");
  EXPECT_FALSE(log.is_news({}, kStart));
  EXPECT_TRUE(log.is_news(bad, kStart));
  for (const auto later : {1s, 600s, 86'400s}) EXPECT_FALSE(log.is_news(bad, kStart + later));
}

TEST(TroubleLog, OneThatGoesAndComesIsNewOnceInAWhile) {
  TroubleLog log;
  const Status bad = fail("it is full");
  EXPECT_TRUE(log.is_news(bad, kStart));
  for (auto now = kStart; now < kStart + TroubleLog::kPause; now += 1s) {
    EXPECT_FALSE(log.is_news({}, now));
    EXPECT_FALSE(log.is_news(bad, now));
  }
  EXPECT_FALSE(log.is_news({}, kStart + TroubleLog::kPause));
  EXPECT_TRUE(log.is_news(bad, kStart + TroubleLog::kPause));
}

TEST(TroubleLog, AnotherOneIsNew) {
  TroubleLog log;
  EXPECT_TRUE(log.is_news(fail("it is full"), kStart));
  EXPECT_TRUE(log.is_news(fail("it is gone"), kStart + 1s));
  EXPECT_TRUE(log.is_news(fail("it is full"), kStart + 2s));
}

}  // namespace
}  // namespace flowtap
