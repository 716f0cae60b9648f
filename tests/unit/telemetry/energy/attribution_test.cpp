#include "telemetry/energy/attribution.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace flowtap::telemetry {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

std::uint64_t sum(const EnergyShares& shares) {
  return std::accumulate(shares.consumers.begin(), shares.consumers.end(), shares.idle + shares.system);
}

std::vector<ConsumerUse> uses(std::initializer_list<std::uint64_t> times) {
  std::vector<ConsumerUse> all;
  for (const std::uint64_t ns : times) all.push_back({ns, std::nullopt});
  return all;
}

TEST(ShareOut, IdleIsTheIdlePartAndTheSystemsWhatIsLeft) {
  const EnergyShares shares =
      share_out(1000, {.busy = kSecond, .idle = 3 * kSecond}, uses({kSecond / 2, kSecond / 4}));
  EXPECT_EQ(shares.idle, 750U);
  EXPECT_EQ(shares.consumers, (std::vector<std::uint64_t>{125, 62}));  // 187 from 187.5
  EXPECT_EQ(shares.system, 63U);
}

TEST(ShareOut, WhatIsRoundedOffGoesToThoseThatLostMost) {
  EXPECT_EQ(share_out(100, {.busy = 3, .idle = 0}, uses({1, 1, 1})).consumers,
            (std::vector<std::uint64_t>{34, 33, 33}));
  EXPECT_EQ(share_out(10, {.busy = 7, .idle = 0}, uses({1, 2, 4})).consumers,
            (std::vector<std::uint64_t>{1, 3, 6}));
}

TEST(ShareOut, WithoutConsumersOrTimeItIsTheSystems) {
  EXPECT_EQ(share_out(100, {.busy = 1, .idle = 1}, {}).system, 50U);
  EXPECT_EQ(share_out(100, {}, {}).system, 100U);
  EXPECT_EQ(share_out(100, {}, uses({5})).system, 100U);
  EXPECT_EQ(share_out(100, {.busy = 1, .idle = 1}, uses({0, 0})).system, 50U);
  EXPECT_EQ(share_out(100, {.busy = 0, .idle = 9}, uses({5})).idle, 100U);
}

TEST(ShareOut, MoreTimeThanWasBusyIsAllThereWas) {
  const EnergyShares shares = share_out(900, {.busy = 2, .idle = 1}, uses({4, 2}));
  EXPECT_EQ(shares.consumers, (std::vector<std::uint64_t>{400, 200}));
  EXPECT_EQ(shares.system, 0U);
}

TEST(ShareOut, CyclesDivideWhatTheConsumersHaveTogether) {
  const CpuTime cpu{.busy = 4 * kSecond, .idle = 0};
  std::vector<ConsumerUse> two{{kSecond, 3000}, {kSecond, 1000}};
  EXPECT_EQ(share_out(1000, cpu, two).consumers, (std::vector<std::uint64_t>{375, 125}));
  EXPECT_EQ(share_out(1000, cpu, two).system, 500U);
  // One of them has no cycles: all are divided by time, as cycles and nanoseconds cannot be compared.
  two[1].cycles.reset();
  EXPECT_EQ(share_out(1000, cpu, two).consumers, (std::vector<std::uint64_t>{250, 250}));
  // A consumer that did nothing needs none.
  const std::vector<ConsumerUse> three{{kSecond, 3000}, {kSecond, 1000}, {0, std::nullopt}};
  EXPECT_EQ(share_out(1000, cpu, three).consumers, (std::vector<std::uint64_t>{375, 125, 0}));
  // Cycles that were not counted at all divide nothing.
  EXPECT_EQ(share_out(1000, cpu, std::vector<ConsumerUse>{{kSecond, 0}, {3 * kSecond, 0}}).consumers,
            (std::vector<std::uint64_t>{250, 750}));
}

TEST(ShareOut, LosesNothingOfAnyNumbers) {
  std::mt19937_64 random(20261122);  // NOLINT(bugprone-random-generator-seed): the same in every run
  // Numbers of all sizes, including the smallest and the largest.
  const auto any = [&]() -> std::uint64_t {
    const auto shift = random() % 67;
    return shift == 66 ? kMost : shift >= 64 ? 0 : random() >> shift;
  };
  for (int i = 0; i < 50'000; ++i) {
    std::vector<ConsumerUse> all(random() % 12);
    const bool cycles = random() % 2 == 0;
    for (ConsumerUse& use : all) {
      use.cpu_ns = any();
      if (cycles && random() % 20 != 0) use.cycles = any();
    }
    const std::uint64_t node = any();
    const CpuTime cpu{.busy = any(), .idle = any()};
    const EnergyShares shares = share_out(node, cpu, all);
    ASSERT_EQ(shares.consumers.size(), all.size());
    ASSERT_EQ(sum(shares), node) << "round " << i;
    ASSERT_LE(shares.idle, node);
    for (std::size_t c = 0; c < all.size(); ++c)
      ASSERT_TRUE(all[c].cpu_ns != 0 || shares.consumers[c] == 0) << "round " << i;
  }
}

TEST(EnergyAttribution, TheFirstCallSaysWhereToCountFrom) {
  EnergyAttribution attribution;
  std::vector<EnergyConsumer> consumers{{.id = "a", .cpu_ns = 100 * kSecond}};
  attribution.add(7, CpuTime{.busy = 900 * kSecond, .idle = 900 * kSecond}, consumers);
  EXPECT_EQ(attribution.system(), 7U);
  consumers[0].cpu_ns += kSecond;
  const auto energy = attribution.add(1000, CpuTime{.busy = 902 * kSecond, .idle = 902 * kSecond}, consumers);
  ASSERT_EQ(energy.size(), 1U);
  EXPECT_EQ(energy[0].uj, 250U);
  EXPECT_EQ(attribution.idle(), 500U);
  EXPECT_EQ(attribution.system(), 257U);
}

TEST(EnergyAttribution, WhoBeganInTheIntervalHasAllItUsedAndWhoIsOnlySeenNowHasNot) {
  EnergyAttribution attribution;
  attribution.add(0, CpuTime{}, {});
  const std::vector<EnergyConsumer> two{{.id = "new", .cpu_ns = kSecond, .began = true},
                                        {.id = "old", .cpu_ns = 50 * kSecond}};
  const auto energy = attribution.add(1000, CpuTime{.busy = 2 * kSecond, .idle = 0}, two);
  ASSERT_EQ(energy.size(), 2U);
  EXPECT_EQ(energy[0].uj, 500U);
  EXPECT_EQ(energy[1].uj, 0U);
}

TEST(EnergyAttribution, WhoEndedHasItsPartAndIsToldOfOnce) {
  EnergyAttribution attribution;
  std::vector<EnergyConsumer> two{{.id = "a"}, {.id = "b"}};
  attribution.add(0, CpuTime{}, two);
  two[0].cpu_ns = kSecond;
  two[0].ended = true;
  two[1].cpu_ns = kSecond;
  auto energy = attribution.add(1000, CpuTime{.busy = 2 * kSecond, .idle = 0}, two);
  ASSERT_EQ(energy.size(), 2U);
  EXPECT_TRUE(energy[0].ended);
  EXPECT_EQ(energy[0].uj, 500U);
  EXPECT_EQ(attribution.gone(), 500U);
  // A consumer that is no longer reported counts as ended, too.
  energy = attribution.add(100, CpuTime{.busy = 3 * kSecond, .idle = 0}, {});
  ASSERT_EQ(energy.size(), 1U);
  EXPECT_EQ(energy[0].id, "b");
  EXPECT_TRUE(energy[0].ended);
  EXPECT_EQ(energy[0].uj, 500U);
  EXPECT_TRUE(attribution.add(100, CpuTime{.busy = 4 * kSecond, .idle = 0}, {}).empty());
  EXPECT_EQ(attribution.gone(), 1000U);
  EXPECT_EQ(attribution.system(), 200U);
}

TEST(EnergyAttribution, CountersThatGoBackBeganAnew) {
  EnergyAttribution attribution;
  std::vector<EnergyConsumer> one{{.id = "a", .cpu_ns = 10 * kSecond}};
  attribution.add(0, CpuTime{.busy = 10 * kSecond, .idle = 9 * kSecond}, one);
  one[0].cpu_ns = kSecond;
  // Idle time may go back as well, and then counts as none.
  const auto energy = attribution.add(100, CpuTime{.busy = 12 * kSecond, .idle = 8 * kSecond}, one);
  EXPECT_EQ(energy.at(0).uj, 50U);
  EXPECT_EQ(attribution.idle(), 0U);
}

TEST(EnergyAttribution, WithoutCpuTimeAllIsActive) {
  EnergyAttribution attribution;
  attribution.add(0, CpuTime{.busy = 1, .idle = 1}, {});
  attribution.add(100, std::nullopt, {});
  EXPECT_EQ(attribution.active(), 100U);
  // The next CPU time that can be read covers more than its interval, and says nothing.
  attribution.add(100, CpuTime{.busy = 2, .idle = 2}, {});
  EXPECT_EQ(attribution.active(), 200U);
  attribution.add(100, CpuTime{.busy = 3, .idle = 3}, {});
  EXPECT_EQ(attribution.idle(), 50U);
}

TEST(EnergyAttribution, WhatWaitsIsDividedWithTheNext) {
  EnergyAttribution attribution;
  std::vector<EnergyConsumer> one{{.id = "a"}};
  attribution.add(0, CpuTime{}, one);
  one[0].cpu_ns = kSecond;
  attribution.add(100, CpuTime{.busy = kSecond, .idle = 0}, one);
  // The question what a did is not even asked, although the first of these two seconds was all a's.
  const auto meanwhile = attribution.wait(600);
  ASSERT_EQ(meanwhile.size(), 1U);
  EXPECT_EQ(meanwhile[0].uj, 100U);
  EXPECT_FALSE(meanwhile[0].ended);
  EXPECT_EQ(attribution.node(), 100U);
  one[0].cpu_ns = 2 * kSecond;
  const auto energy = attribution.add(200, CpuTime{.busy = 2 * kSecond, .idle = kSecond}, one);
  EXPECT_EQ(energy.at(0).uj, 100U + 400U);
  EXPECT_EQ(attribution.idle(), 400U);
  EXPECT_EQ(attribution.node(), 900U);
}

// Ten seconds that were reported at once, in an interval of one.
TEST(EnergyAttribution, WhatIsToldLateTakesNothingFromOthers) {
  for (const bool cycles : {false, true}) {
    for (const bool fresh : {false, true}) {
      SCOPED_TRACE(testing::Message() << cycles << fresh);
      EnergyAttribution attribution;
      std::vector<EnergyConsumer> two{{.id = "busy"}, {.id = "late", .began = true, .may_be_late = true}};
      const auto use = [&](std::size_t i, std::uint64_t ns) {
        two[i].cpu_ns += ns;
        if (cycles) two[i].cycles = two[i].cpu_ns * 3;
      };
      use(0, 0);
      use(1, 0);
      attribution.add(0, CpuTime{}, std::span(two).first(fresh ? 1 : 2));
      use(0, kSecond / 2);
      use(1, 10 * kSecond);
      auto energy = attribution.add(1000, CpuTime{.busy = 2 * kSecond, .idle = 0}, two);
      EXPECT_EQ(energy.at(0).uj, 250U);
      EXPECT_EQ(energy.at(1).uj, 750U) << "no more than was left of the time";
      // And then it is treated like all others.
      use(0, kSecond / 2);
      use(1, kSecond / 2);
      energy = attribution.add(1000, CpuTime{.busy = 4 * kSecond, .idle = 0}, two);
      EXPECT_EQ(energy.at(0).uj, 500U);
      EXPECT_EQ(energy.at(1).uj, 1000U);
    }
  }
}

TEST(EnergyAttribution, WhatIsNotLateIsNotCut) {
  EnergyAttribution attribution;
  attribution.add(0, CpuTime{}, {});
  const std::vector<EnergyConsumer> two{{.id = "a", .cpu_ns = kSecond, .began = true, .may_be_late = true},
                                        {.id = "b", .cpu_ns = kSecond, .began = true, .may_be_late = true}};
  const auto energy = attribution.add(1000, CpuTime{.busy = 4 * kSecond, .idle = 0}, two);
  EXPECT_EQ(energy.at(0).uj, 250U);
  EXPECT_EQ(energy.at(1).uj, 250U);
  EXPECT_EQ(attribution.system(), 500U);
}

TEST(EnergyAttribution, TheSameIdTwiceCountsOnce) {
  EnergyAttribution attribution;
  const std::vector<EnergyConsumer> twice{{.id = "a", .cpu_ns = 1, .began = true},
                                          {.id = "a", .cpu_ns = 9, .began = true}};
  attribution.add(0, CpuTime{}, {});
  const auto energy = attribution.add(10, CpuTime{.busy = 10, .idle = 0}, twice);
  ASSERT_EQ(energy.size(), 1U);
  EXPECT_EQ(energy[0].uj, 1U);
}

// Consumers come, work, go with or without a word, and begin anew.
TEST(EnergyAttribution, AddsUpToTheMicrojouleAtAllTimes) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);  // NOLINT(bugprone-random-generator-seed): the same in every run
    EnergyAttribution attribution;
    std::map<std::string, EnergyConsumer> alive;
    std::map<std::string, std::uint64_t> before;
    CpuTime cpu{.busy = random() % kSecond, .idle = random() % kSecond};
    std::uint64_t node = 0;
    std::uint64_t waiting = 0;
    std::uint64_t gone = 0;
    unsigned next = 0;
    for (int round = 0; round < 5000; ++round) {
      std::erase_if(alive, [](const auto& entry) { return entry.second.ended; });
      std::erase_if(alive, [&](const auto&) { return random() % 50 == 0; });
      for (auto& [id, consumer] : alive) {
        consumer.began = false;
        consumer.cpu_ns = random() % 100 == 0 ? 0 : consumer.cpu_ns + random() % kSecond;
        if (consumer.cycles) *consumer.cycles += random() % kSecond;
        consumer.ended = random() % 30 == 0;
      }
      if (alive.size() < 20 && random() % 3 == 0) {
        const std::string id = "c" + std::to_string(next++);
        alive[id] = {.id = id,
                     .cpu_ns = random() % kSecond,
                     .began = random() % 2 == 0,
                     .may_be_late = random() % 2 == 0};
        if (seed % 2 == 0) alive[id].cycles = random() % kSecond;
      }
      cpu.busy += random() % (8 * kSecond);
      cpu.idle += random() % (8 * kSecond);
      const std::uint64_t used = random() % 10 == 0 ? 0 : random() % 300'000'000;
      std::vector<EnergyConsumer> told;
      for (const auto& [id, consumer] : alive) told.push_back(consumer);
      waiting += used;
      if (random() % 30 == 0) {
        for (const ConsumerEnergy& one : attribution.wait(used)) ASSERT_EQ(one.uj, before[one.id]);
        ASSERT_EQ(attribution.node(), node);
        continue;
      }
      const auto energy = attribution.add(used, random() % 40 == 0 ? std::nullopt : std::optional(cpu), told);

      node += std::exchange(waiting, 0);
      std::uint64_t now = 0;
      std::map<std::string, std::uint64_t> totals;
      for (const ConsumerEnergy& one : energy) {
        ASSERT_GE(one.uj, before[one.id]) << "round " << round;
        (one.ended ? gone : now) += one.uj;
        if (!one.ended) totals[one.id] = one.uj;
      }
      before = totals;
      ASSERT_EQ(attribution.node(), node);
      ASSERT_EQ(attribution.gone(), gone) << "round " << round;
      ASSERT_EQ(attribution.idle() + attribution.system() + attribution.gone() + now, node)
          << "round " << round;
    }
    EXPECT_GT(gone, 0U);
    EXPECT_GT(attribution.system(), 0U);
  }
}

}  // namespace
}  // namespace flowtap::telemetry
