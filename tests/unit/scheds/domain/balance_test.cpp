#include "scheds/domain/balance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <random>

namespace flowtap::scheds {

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it by this name
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

TEST(Balance, ADomainThatTakesForItsNodeTakesNoMoreFromItsNeighbours) {
  EXPECT_EQ(balance(Loads{{0, 2, 1000}, {1, 2, 0}, {1, 2, 200}}), (Orders{{0, 1, 600}}));
}

TEST(Balance, ADomainWithoutCpusTakesAndGivesNothing) {
  EXPECT_EQ(balance(Loads{{0, 2, 0}, {0, 0, 400}, {1, 0, 900}}), Orders{});
  EXPECT_EQ(balance(Loads{{0, 2, 400}, {0, 0, 0}}), Orders{});
}

// Anything at all; or, every other time, domains of the same size whose nodes differ more than the domains within them.
Loads random_loads(std::mt19937& random) {
  Loads loads;
  const std::size_t domains = 1 + random() % 20;
  const bool alike = random() % 2 == 0;
  for (std::size_t i = 0; i < domains; ++i) {
    const auto node = static_cast<std::uint32_t>(random() % 5);
    const auto cpus = static_cast<std::uint32_t>(alike ? 4 : 1 + random() % 5);
    loads.push_back(
        {node, cpus, static_cast<double>(alike ? 200UL * node + random() % 100 : random() % 1000)});
  }
  return loads;
}

Loads after(Loads loads, const Orders& orders) {
  for (const Order& order : orders) {
    loads[order.from].load -= order.load;
    loads[order.to].load += order.load;
  }
  return loads;
}

// How much each has above its CPUs' share of the total; negative: below.
std::vector<double> deviations(const Loads& loads) {
  double load = 0;
  double cpus = 0;
  for (const DomainLoad& d : loads) {
    load += d.load;
    cpus += d.cpus;
  }
  std::vector<double> all;
  all.reserve(loads.size());
  for (const DomainLoad& d : loads) all.push_back(d.load - load / cpus * d.cpus);
  return all;
}

// The domains of each node as one.
Loads by_node(const Loads& loads) {
  std::map<std::uint32_t, DomainLoad> nodes;
  for (const DomainLoad& d : loads) {
    DomainLoad& node = nodes[d.node];
    node.node = d.node;
    node.cpus += d.cpus;
    node.load += d.load;
  }
  Loads all;
  for (const auto& [id, node] : nodes) all.push_back(node);
  return all;
}

double sum_of_deviations(const Loads& loads) {
  double sum = 0;
  for (const double deviation : deviations(loads)) sum += std::abs(deviation);
  return sum;
}

constexpr double kRounding = 1e-6;
constexpr int kRounds = 2000;

TEST(Balance, AnOrderIsOneThatCanBeFollowed) {
  std::mt19937 random(7);
  for (int round = 0; round < kRounds; ++round) {
    const Loads loads = random_loads(random);
    std::vector<int> given(loads.size());
    for (const Order& o : balance(loads)) {
      ASSERT_LT(o.from, loads.size());
      ASSERT_LT(o.to, loads.size());
      EXPECT_NE(o.from, o.to);
      EXPECT_GT(o.load, 0);
      EXPECT_LE(o.load, loads[o.from].load + kRounding);
      EXPECT_GT(loads[o.to].cpus, 0U);
      EXPECT_EQ(++given[o.from], 1);
    }
  }
}

// A node that has too much never has too little afterwards, and the other way round.
TEST(Balance, NoNodeOvershoots) {
  std::mt19937 random(8);
  for (int round = 0; round < kRounds; ++round) {
    const Loads loads = random_loads(random);
    const auto before = deviations(by_node(loads));
    const auto now = deviations(by_node(after(loads, balance(loads))));
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_LE(std::abs(now[i]), std::abs(before[i]) + kRounding) << "round " << round << " node " << i;
      EXPECT_GE(now[i] * before[i], -kRounding) << "round " << round << " node " << i;
    }
  }
}

// One domain gives and one takes for all of its node, so each of them may pass its own share; all together come nearer
// to theirs.
TEST(Balance, TheDomainsTogetherComeNearerToTheirShares) {
  std::mt19937 random(9);
  for (int round = 0; round < kRounds; ++round) {
    const Loads loads = random_loads(random);
    const Orders orders = balance(loads);
    if (orders.empty()) continue;
    EXPECT_LT(sum_of_deviations(after(loads, orders)), sum_of_deviations(loads)) << "round " << round;
  }
}

TEST(Balance, AFewCyclesEvenOutWhateverThereIs) {
  std::mt19937 random(10);
  for (int round = 0; round < kRounds; ++round) {
    Loads loads = random_loads(random);
    int cycles = 0;
    for (Orders orders = balance(loads); !orders.empty(); orders = balance(loads)) {
      loads = after(loads, orders);
      ASSERT_LE(++cycles, 10) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace flowtap::scheds
