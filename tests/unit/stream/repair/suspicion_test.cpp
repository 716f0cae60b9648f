#include "stream/repair/suspicion.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

TEST(Suspicion, OfTheTimeBetweenTwoLooks) {
  Suspicion suspicion;
  suspicion.look({}, 100);
  suspicion.look({}, 200);
  EXPECT_FALSE(suspicion.covers(0, 1000));
  suspicion.look({.unseen = 3}, 300);
  suspicion.look({.unseen = 3}, 400);
  EXPECT_TRUE(suspicion.covers(150, 250));
  EXPECT_TRUE(suspicion.covers(250, 260));
  EXPECT_TRUE(suspicion.covers(300, 900));
  EXPECT_FALSE(suspicion.covers(0, 199));
  EXPECT_FALSE(suspicion.covers(301, 900));
}

TEST(Suspicion, WhatWasThereBeforeTheFirstLookIsOfAnyTimeBefore) {
  Suspicion suspicion;
  suspicion.look({.unseen = 1}, 100);
  EXPECT_TRUE(suspicion.covers(5, 10));
  EXPECT_FALSE(suspicion.covers(101, 200));
}

TEST(Suspicion, WhatCameToTheSecondProgramIsNotLost) {
  constexpr std::uint64_t kLater = 1'000'000'000;
  Suspicion suspicion;
  suspicion.look({.passed = 5}, 1 * kLater);
  suspicion.look({.passed = 6}, 2 * kLater);
  EXPECT_FALSE(suspicion.covers(0, 3 * kLater));
  suspicion.look({.unseen = 1, .passed = 6}, 3 * kLater);
  suspicion.look({.unseen = 1, .passed = 6}, 4 * kLater);
  suspicion.look({.unseen = 1, .passed = 7}, 5 * kLater);
  EXPECT_FALSE(suspicion.covers(3 * kLater + 1, 4 * kLater - 1));
  EXPECT_TRUE(suspicion.covers(4 * kLater, 5 * kLater)) << "a note may have stood from before";
  const std::uint64_t after = 3 * kLater + Suspicion::kNoteLasts;
  suspicion.look({.unseen = 1, .passed = 7}, after);
  suspicion.look({.unseen = 1, .passed = 8}, after + kLater);
  EXPECT_FALSE(suspicion.covers(after + 1, after + kLater));
}

TEST(Suspicion, ManyTimesAreJoinedAndNoneIsForgotten) {
  Suspicion suspicion;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    suspicion.look({.unseen = i - 1}, 20 * i);
    suspicion.look({.unseen = i}, 20 * i + 10);
  }
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_TRUE(suspicion.covers(20 * i + 5, 20 * i + 6)) << i;
  EXPECT_FALSE(suspicion.covers(20 * 1000 - 5, 20 * 1000 - 4)) << "the newest are known one by one";
}

}  // namespace
}  // namespace flowtap
