#include "scheds/domain/balance.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <random>

namespace flowtap::scheds {

void PrintTo(const Order& order, std::ostream* out) {
  *out << order.from << " to " << order.to << ": " << order.load;
}

namespace {

using Orders = std::vector<Order>;
using Loads = std::vector<DomainLoad>;

TEST(Balance, NothingIsMovedWhereAllIsEven) {
  EXPECT_EQ(balance({}), Orders{});
  EXPECT_EQ(balance(Loads{{0, 2, 0}, {0, 2, 0}}), Orders{});
  EXPECT_EQ(balance(Loads{{0, 2, 200}, {0, 2, 195}, {1, 4, 400}}), Orders{});
  EXPECT_EQ(balance(Loads{{0, 2, 900}}), Orders{}) << "there is nowhere to go";
}

TEST(Balance, WithinANodeTheFullOneGivesToTheEmptyOne) {
  EXPECT_EQ(balance(Loads{{0, 2, 400}, {0, 2, 0}}), (Orders{{0, 1, 200}}));
}

TEST(Balance, ADomainTakesByItsCpus) {
  EXPECT_EQ(balance(Loads{{0, 2, 600}, {0, 4, 0}}), (Orders{{0, 1, 400}}));
}

TEST(Balance, NodesComeFirstAndTheirBusiestDomainGives) {
  EXPECT_EQ(balance(Loads{{0, 2, 100}, {0, 2, 700}, {1, 2, 0}, {1, 2, 0}}), (Orders{{1, 2, 400}}));
}

TEST(Balance, WhatIsLeftUnevenWithinANodeIsMovedToo) {
  EXPECT_EQ(balance(Loads{{0, 2, 400}, {0, 2, 0}, {1, 2, 400}, {1, 2, 0}}),
            (Orders{{0, 1, 200}, {2, 3, 200}}));
}

TEST(Balance, ADomainWithoutCpusTakesAndGivesNothing) {
  EXPECT_EQ(balance(Loads{{0, 2, 0}, {0, 0, 400}, {1, 0, 900}}), Orders{});
  EXPECT_EQ(balance(Loads{{0, 2, 400}, {0, 0, 0}}), Orders{});
}

// Whatever the loads: an order never takes more than there is, never gives to itself, and following all brings every node
// nearer to the mean, and not beyond it.
TEST(Balance, NeverOvershoots) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Loads loads;
    const std::size_t domains = 1 + random() % 12;
    for (std::size_t i = 0; i < domains; ++i)
      loads.push_back({static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(1 + random() % 5),
                       static_cast<double>(random() % 1000)});
    const auto orders = balance(loads);
    std::vector<int> given(domains);
    for (const Order& o : orders) {
      ASSERT_LT(o.from, domains);
      ASSERT_LT(o.to, domains);
      EXPECT_NE(o.from, o.to);
      EXPECT_GT(o.load, 0);
      EXPECT_LE(o.load, loads[o.from].load + 1e-6);
      EXPECT_GT(loads[o.to].cpus, 0U);
      EXPECT_EQ(++given[o.from], 1);
    }
  }
}

}  // namespace
}  // namespace flowtap::scheds
