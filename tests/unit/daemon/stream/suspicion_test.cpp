#include "daemon/stream/suspicion.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

TEST(Suspicion, OfTheTimeBetweenTwoLooks) {
  Suspicion suspicion;
  suspicion.look(0, 100);
  suspicion.look(0, 200);
  EXPECT_FALSE(suspicion.covers(0, 1000));
  suspicion.look(3, 300);
  suspicion.look(3, 400);
  EXPECT_TRUE(suspicion.covers(150, 250));
  EXPECT_TRUE(suspicion.covers(250, 260));
  EXPECT_TRUE(suspicion.covers(300, 900));
  EXPECT_FALSE(suspicion.covers(0, 199));
  EXPECT_FALSE(suspicion.covers(301, 900));
}

TEST(Suspicion, WhatWasThereBeforeTheFirstLookIsOfAnyTimeBefore) {
  Suspicion suspicion;
  suspicion.look(1, 100);
  EXPECT_TRUE(suspicion.covers(5, 10));
  EXPECT_FALSE(suspicion.covers(101, 200));
}

TEST(Suspicion, ManyTimesAreJoinedAndNoneIsForgotten) {
  Suspicion suspicion;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    suspicion.look(i - 1, 20 * i);
    suspicion.look(i, 20 * i + 10);
  }
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_TRUE(suspicion.covers(20 * i + 5, 20 * i + 6)) << i;
  EXPECT_FALSE(suspicion.covers(20 * 1000 - 5, 20 * 1000 - 4)) << "the newest are known one by one";
}

}  // namespace
}  // namespace flowtap
