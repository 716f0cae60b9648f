// A bell that rings, and one that ends.
#include "base/threads/bell.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

TEST(Bell, WhatRangBeforeIsHeard) {
  Bell bell;
  bell.ring();
  bell.ring();
  EXPECT_TRUE(bell.wait(std::nullopt));
  EXPECT_TRUE(bell.wait(1ms)) << "its time has come, and it goes on";
}

TEST(Bell, WhoWaitsIsWoken) {
  Bell bell;
  const std::jthread other([&] { bell.ring(); });
  EXPECT_TRUE(bell.wait(std::nullopt));
}

TEST(Bell, TheEndIsForGood) {
  Bell bell;
  const std::jthread other([&] { bell.stop(); });
  EXPECT_FALSE(bell.wait(std::nullopt));
  bell.ring();
  EXPECT_FALSE(bell.wait(1h));
}

}  // namespace
}  // namespace flowtap
