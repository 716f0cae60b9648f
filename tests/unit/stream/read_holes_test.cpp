// What excuses a node test has to be right itself: it must not pass a text that is damaged.
#include "tests/node/stream/read_holes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap::test {
namespace {

using Holes = std::vector<std::size_t>;

std::string lines(std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t n = from; n < to; ++n) text += "line " + std::to_string(n) + " of somebody\n";
  return text;
}

TEST(ReadHoles, AWholeTextHasNone) {
  EXPECT_EQ(holes_in(lines(0, 100), lines(0, 100), 1000), Holes{});
  EXPECT_EQ(holes_in("", "", 1000), Holes{});
}

TEST(ReadHoles, EachIsFoundWithItsSize) {
  const std::string all = lines(1000, 4000);
  const std::size_t line = lines(1000, 1001).size();
  EXPECT_EQ(holes_in(lines(1000, 1500) + lines(1510, 4000), all, 10 * line), Holes{10 * line});
  EXPECT_EQ(holes_in(lines(1000, 1500) + lines(1510, 3000) + lines(3001, 4000), all, 10 * line),
            (Holes{10 * line, line}));
  EXPECT_EQ(holes_in(lines(1007, 4000), all, 10 * line), Holes{7 * line}) << "at the beginning";
  EXPECT_EQ(holes_in(lines(1000, 3992), all, 10 * line), Holes{8 * line}) << "at the end";
  std::string amid = all;
  amid.erase(20'005, 37);
  EXPECT_EQ(holes_in(amid, all, 100), Holes{37}) << "amid lines";
}

TEST(ReadHoles, WhatIsDamagedOrLacksMoreIsNotExcused) {
  const std::string all = lines(1000, 4000);
  const std::size_t line = lines(1000, 1001).size();
  EXPECT_EQ(holes_in(lines(1000, 1500) + lines(1511, 4000), all, 10 * line), std::nullopt);
  EXPECT_EQ(holes_in(lines(1000, 3900), all, 10 * line), std::nullopt);
  EXPECT_EQ(holes_in(lines(1000, 1500) + lines(1499, 4000), all, 10 * line), std::nullopt) << "one twice";
  EXPECT_EQ(holes_in(all + "x", all, 10 * line), std::nullopt) << "more than was written";
  std::string other = all;
  other.at(30'000) = '#';
  EXPECT_EQ(holes_in(other, all, 10 * line), std::nullopt);
  EXPECT_EQ(holes_in(lines(1000, 1500) + lines(1505, 1506) + lines(1502, 4000), all, 10 * line), std::nullopt)
      << "another order";
}

}  // namespace
}  // namespace flowtap::test
