#include "stats/backends/sample.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace flowtap::stats {
namespace {

TEST(Histogram, BucketsAreThoseOfTheirEdges) {
  EXPECT_DOUBLE_EQ(histogram_edge(0), 1024e-9);
  EXPECT_DOUBLE_EQ(histogram_edge(FTAP_HIST_BUCKETS - 1), 17.179869184);
  EXPECT_EQ(histogram_bucket(0), 0U);
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    const std::uint64_t edge = std::uint64_t{1} << (FTAP_HIST_MIN_LOG2 + i);
    EXPECT_EQ(histogram_bucket(edge), i);  // inclusive
    EXPECT_EQ(histogram_bucket(edge + 1), i + 1);
  }
  EXPECT_EQ(histogram_bucket(std::numeric_limits<std::uint64_t>::max()), std::size_t{FTAP_HIST_BUCKETS});
}

TEST(Histogram, WidenedEdgesAreThoseOfLongTimes) {
  constexpr unsigned kWidened = 13;
  EXPECT_DOUBLE_EQ(histogram_edge(0, kWidened), 0.008388608);
  EXPECT_GT(histogram_edge(FTAP_HIST_BUCKETS - 1, kWidened), 86'400);
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    const std::uint64_t edge = std::uint64_t{1} << (FTAP_HIST_MIN_LOG2 + kWidened + i);
    EXPECT_DOUBLE_EQ(histogram_edge(i, kWidened) * 1e9, static_cast<double>(edge));
    EXPECT_EQ(histogram_bucket(edge, kWidened), i);  // inclusive
    EXPECT_EQ(histogram_bucket(edge + 1, kWidened), i + 1);
  }
  EXPECT_EQ(edge_text(0, kWidened), "0.008388608");
  EXPECT_EQ(edge_text(FTAP_HIST_BUCKETS - 1, kWidened), "140737.488355328");
}

// The edges belong to the stat, whether its values are ordinary or widened.
TEST(Histogram, ASeriesHasTheEdgesOfItsStat) {
  for (const StatId id : {StatId::kSCRAPE_DURATION, StatId::kSCHEDULING_DURATION}) {
    std::vector<std::string> edges;
    for_each_sample({&stat(id), {"x"}, HistogramValue{}}, [&](const Sample& sample) {
      if (!sample.le.empty()) edges.emplace_back(sample.le);
    });
    ASSERT_EQ(edges.size(), std::size_t{FTAP_HIST_BUCKETS});
    EXPECT_EQ(edges.back(), id == StatId::kSCRAPE_DURATION ? "17.179869184" : "140737.488355328");
  }
}

TEST(Sample, EdgesAreExactDecimals) {
  EXPECT_EQ(edge_text(0), "0.000001024");
  EXPECT_EQ(edge_text(FTAP_HIST_BUCKETS - 1), "17.179869184");
}

TEST(Sample, MeasuredTotalsBecomeWholeNanos) {
  EXPECT_EQ(nanos(1.5), 1'500'000'000U);
  EXPECT_EQ(nanos(-1), 0U);
  EXPECT_EQ(nanos(std::numeric_limits<double>::quiet_NaN()), 0U);
  EXPECT_EQ(nanos(1e300), nanos(1e301));  // stands still
  EXPECT_EQ(nano_text(1'500'000'000), "1.5");
  EXPECT_EQ(nano_text(2'000'000'000), "2");
  EXPECT_EQ(nano_text(1), "0.000000001");
  EXPECT_EQ(nano_text(0), "0");
}

TEST(Sample, GaugesHaveNoExponent) {
  EXPECT_EQ(gauge_text(1e15), "1000000000000000");
  EXPECT_EQ(gauge_text(-0.5), "-0.5");
  EXPECT_EQ(gauge_text(0.1), "0.1");
  EXPECT_EQ(gauge_text(std::numeric_limits<double>::max()).size(), 309U);
}

TEST(Sample, HistogramIsCumulative) {
  HistogramValue value;
  value.counts[0] = 2;
  value.counts[3] = 1;
  value.counts.back() = 4;
  value.sum = 70.25;
  const Series series{&stat(StatId::kCYCLE_DURATION), {}, value};
  std::vector<Sample> samples;
  for_each_sample(series, [&](const Sample& s) { samples.push_back(s); });
  ASSERT_EQ(samples.size(), std::size_t{FTAP_HIST_BUCKETS + 2});
  EXPECT_EQ(samples[0].total, 2U);
  EXPECT_EQ(samples[2].total, 2U);
  EXPECT_EQ(samples[FTAP_HIST_BUCKETS - 1].total, 3U);
  EXPECT_EQ(samples[FTAP_HIST_BUCKETS].suffix, "_count");
  EXPECT_EQ(samples[FTAP_HIST_BUCKETS].total, 7U);
  EXPECT_EQ(samples.back().suffix, "_sum");
  EXPECT_EQ(samples.back().total, 70'250'000'000U);
}

TEST(Sample, WhatIsNoNumberIsAbsent) {
  int seen = 0;
  const auto count = [&](const Sample&) { ++seen; };
  for_each_sample(Series{&stat(StatId::kPROCESS_THREADS), {}, std::numeric_limits<double>::quiet_NaN()},
                  count);
  for_each_sample(Series{&stat(StatId::kPROCESS_CPU), {}, std::numeric_limits<double>::infinity()}, count);
  EXPECT_EQ(seen, 0);
  for_each_sample(Series{&stat(StatId::kPROCESS_THREADS), {}, std::uint64_t{3}}, count);
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace flowtap::stats
