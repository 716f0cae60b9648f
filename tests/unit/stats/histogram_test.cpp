// Buckets are right at their edges: a value of exactly 2^k is under the edge 2^k, one more is not.
#include <gtest/gtest.h>

#include <cmath>

#include "stats/snapshot.hpp"

namespace flowtap::stats {
namespace {

TEST(Histogram, EdgesAreInclusive) {
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    const std::uint64_t edge = 1ULL << (FTAP_HIST_MIN_LOG2 + i);
    EXPECT_EQ(histogram_bucket(edge), i);
    EXPECT_EQ(histogram_bucket(edge - 1), edge - 1 > (1ULL << FTAP_HIST_MIN_LOG2) && i > 0 ? i : 0);
    EXPECT_EQ(histogram_bucket(edge + 1), i + 1);
    EXPECT_DOUBLE_EQ(histogram_edge(i) * 1e9, static_cast<double>(edge));
  }
}

TEST(Histogram, EveryValueIsUnderItsEdgeAndNotUnderTheOneBefore) {
  std::uint64_t value = 1;
  for (int n = 0; n < 100'000; ++n) {
    value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t v = value >> (value % 64);
    const std::size_t i = histogram_bucket(v);
    const auto edge = [](std::size_t k) { return std::ldexp(1.0, static_cast<int>(FTAP_HIST_MIN_LOG2 + k)); };
    if (i < FTAP_HIST_BUCKETS) {
      EXPECT_LE(static_cast<double>(v), edge(i));
    }
    if (i > 0) {
      EXPECT_GT(v, 1ULL << (FTAP_HIST_MIN_LOG2 + i - 1));
    }
  }
  EXPECT_EQ(histogram_bucket(0), 0U);
  EXPECT_EQ(histogram_bucket(~0ULL), static_cast<std::size_t>(FTAP_HIST_BUCKETS));
}

// Each coarse bucket is the buckets of slots.h up to its edge.
TEST(Histogram, CoarseBucketsAreEachSecondEdge) {
  EXPECT_EQ(ftap_coarse_bucket(0), 0U);
  EXPECT_EQ(ftap_coarse_bucket(~0ULL), static_cast<unsigned>(FTAP_COARSE_EDGES));
  for (unsigned i = 0; i < FTAP_COARSE_EDGES; ++i) {
    const std::uint64_t edge = std::uint64_t{1} << (FTAP_HIST_MIN_LOG2 + FTAP_COARSE_FIRST + 2 * i);
    EXPECT_EQ(ftap_coarse_bucket(edge), i);
    EXPECT_EQ(ftap_coarse_bucket(edge + 1), i + 1);
    EXPECT_EQ(ftap_coarse_bucket(edge - 1), i);
    EXPECT_EQ(histogram_bucket(edge), FTAP_COARSE_FIRST + 2 * i) << "they are edges of the others, too";
    EXPECT_TRUE(has_edge(stat(StatId::kWORKLOAD_RUN_QUEUE_LATENCY), FTAP_COARSE_FIRST + 2 * i));
  }
  std::size_t edges = 0;
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i)
    edges += has_edge(stat(StatId::kWORKLOAD_RUN_QUEUE_LATENCY), i) ? 1 : 0;
  EXPECT_EQ(edges, static_cast<std::size_t>(FTAP_COARSE_EDGES));
}

}  // namespace
}  // namespace flowtap::stats
