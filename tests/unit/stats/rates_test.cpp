// Rates, shares and quantiles between two readings: the numbers that people see in `flowtap top` and
// --report.
#include "stats/rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/registry.hpp"

namespace flowtap::stats {
namespace {

HistogramValue histogram(std::size_t bucket, std::uint64_t n) {
  HistogramValue h;
  h.counts.at(bucket) = n;
  return h;
}

TEST(TypeRates, DivideByTheIntervalAndShareTheSum) {
  const std::vector<TypeTotal> before = {{"wsync", 100}, {"queued", 10}};
  const std::vector<TypeTotal> after = {{"wsync", 400}, {"queued", 110}};
  const auto rates = type_rates(before, after, 2.0);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].type, "wsync");
  EXPECT_EQ(rates[0].count, 300U);
  EXPECT_DOUBLE_EQ(rates[0].rate, 150);
  EXPECT_DOUBLE_EQ(rates[0].share, 0.75);
  EXPECT_DOUBLE_EQ(rates[1].share, 0.25);
}

TEST(TypeRates, NothingHappenedIsZeroNotNan) {
  const std::vector<TypeTotal> same = {{"wsync", 100}};
  const auto rates = type_rates(same, same, 0.0);
  EXPECT_EQ(rates[0].rate, 0);
  EXPECT_EQ(rates[0].share, 0);
}

TEST(TypeRates, ATypeThatIsNewCountedFromZero) {
  const auto rates = type_rates({}, std::vector<TypeTotal>{{"dsq", 7}}, 1.0);
  EXPECT_EQ(rates[0].count, 7U);
}

TEST(TypeRates, AfterARestartAllTypesCountFromZero) {
  const std::vector<TypeTotal> before = {{"wsync", 1000}, {"queued", 1}};
  const std::vector<TypeTotal> after = {{"wsync", 5}, {"queued", 3}};
  const auto rates = type_rates(before, after, 1.0);
  EXPECT_EQ(rates[0].count, 5U);
  EXPECT_EQ(rates[1].count, 3U);
}

TEST(Quantile, IsTheUpperEdgeOfTheBucketThatHoldsIt) {
  HistogramValue after = histogram(0, 50);
  after.counts.at(3) = 49;
  after.counts.at(10) = 1;
  EXPECT_DOUBLE_EQ(quantile({}, after, 0.50).value(), histogram_edge(0));
  EXPECT_DOUBLE_EQ(quantile({}, after, 0.51).value(), histogram_edge(3));
  EXPECT_DOUBLE_EQ(quantile({}, after, 0.99).value(), histogram_edge(3));
  EXPECT_DOUBLE_EQ(quantile({}, after, 1.00).value(), histogram_edge(10));
}

TEST(Quantile, HoldsAtLeastThatPartOfTheValues) {
  HistogramValue after = histogram(0, 1);
  after.counts.at(3) = 2;
  EXPECT_DOUBLE_EQ(quantile({}, after, 0.50).value(), histogram_edge(3)) << "one of three is less than half";
}

TEST(Quantile, SeesOnlyWhatWasAdded) {
  const HistogramValue before = histogram(20, 1000000);
  HistogramValue after = before;
  after.counts.at(2) = 1;
  EXPECT_DOUBLE_EQ(quantile(before, after, 0.99).value(), histogram_edge(2));
}

TEST(Quantile, IsAbsentWithoutValuesAndInfiniteAboveTheLastEdge) {
  const HistogramValue full = histogram(5, 9);
  EXPECT_FALSE(quantile(full, full, 0.5).has_value());
  EXPECT_TRUE(std::isinf(quantile({}, histogram(FTAP_HIST_BUCKETS, 1), 0.5).value()));
}

TEST(Quantile, AfterARestartAllValuesAreNew) {
  EXPECT_DOUBLE_EQ(quantile(histogram(5, 9), histogram(1, 2), 0.5).value(), histogram_edge(1));
}

// While nothing is counted, totals stay as they are; they neither vanish nor begin again.
TEST(SchedulerRates, CountingThatGoesOffAndOnIsNoJump) {
  Registry registry(1000, {});
  const auto counted = [&registry](std::uint64_t wsync) {
    SlotCounts counts{};
    counts.at(FTAP_CLASS_KERNEL).at(stat(StatId::kWSYNC).slot.value()) = wsync;
    registry.add(counts, "");
    return scheduler_totals(*registry.publish({}));
  };
  const auto on = counted(1000);
  const auto off = scheduler_totals(*registry.publish({}));
  const auto on_again = counted(4);
  const auto while_off = scheduler_rates(on, off, 1.0);
  ASSERT_EQ(while_off.size(), 1U);
  EXPECT_EQ(while_off[0].rate, 0);
  const auto after = scheduler_rates(off, on_again, 2.0);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].count, 4U);
  EXPECT_EQ(after[0].rate, 2.0);
}

TEST(SchedulerRates, KeepSchedulersApart) {
  const Stat& wsync = stat(StatId::kWSYNC);
  const Stat& queued = stat(StatId::kQUEUED);
  const Stat& latency = stat(StatId::kLATENCY);
  Snapshot before;
  HistogramValue waited = histogram(9, 500);
  before.series = {{&wsync, {"kernel", "wsync"}, std::uint64_t{10}}, {&latency, {"kernel"}, waited}};
  waited.counts.at(4) = 60;
  waited.counts.at(6) = 40;
  Snapshot after;
  after.series = {{&wsync, {"kernel", "wsync"}, std::uint64_t{40}},
                  {&queued, {"kernel", "queued"}, std::uint64_t{10}},
                  {&wsync, {"domain", "wsync"}, std::uint64_t{6}},
                  {&latency, {"kernel"}, waited}};
  const auto rates = scheduler_rates(scheduler_totals(before), scheduler_totals(after), 2.0);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].scheduler, "kernel");
  EXPECT_EQ(rates[0].count, 40U);
  EXPECT_DOUBLE_EQ(rates[0].rate, 20);
  EXPECT_DOUBLE_EQ(rates[0].latency_p50.value(), histogram_edge(4));
  EXPECT_DOUBLE_EQ(rates[0].latency_p99.value(), histogram_edge(6));
  EXPECT_EQ(rates[1].scheduler, "domain");
  EXPECT_DOUBLE_EQ(rates[1].types[0].share, 1);
  EXPECT_FALSE(rates[1].latency_p50.has_value());
}

}  // namespace
}  // namespace flowtap::stats
