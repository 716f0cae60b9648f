#include "stream/capture/progress.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

TEST(Progress, WhatMovesIsNotGivenUpHoweverLongItTakes) {
  Progress::Clock::time_point now{};
  Progress progress(10s, now);
  for (std::uint64_t done = 1; done < 100; ++done) EXPECT_TRUE(progress.goes_on(done, now += 9s));
  EXPECT_TRUE(progress.goes_on(99, now += 9s));
  EXPECT_FALSE(progress.goes_on(99, now += 1s)) << "it stands still";
}

TEST(Progress, WhatNeverMovesIsGivenUp) {
  Progress::Clock::time_point now{};
  Progress progress(10s, now);
  EXPECT_TRUE(progress.goes_on(0, now += 9s));
  EXPECT_FALSE(progress.goes_on(0, now += 1s));
}

}  // namespace
}  // namespace flowtap
