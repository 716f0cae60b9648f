#include "stats/snapshot.hpp"

#include <algorithm>
#include <bit>

namespace flowtap::stats {

double histogram_edge(std::size_t i) {
  // Exact: a power of two below 2^53, divided once.
  return static_cast<double>(std::uint64_t{1} << (FTAP_HIST_MIN_LOG2 + i)) / 1e9;
}

std::size_t histogram_bucket(std::uint64_t ns) {
  // Edges are inclusive, so it is the bits of ns - 1 that count: 2^k itself belongs under the edge 2^k.
  const auto log2 = static_cast<std::size_t>(ns <= 1 ? 0 : std::bit_width(ns - 1));
  if (log2 <= FTAP_HIST_MIN_LOG2) return 0;
  return std::min<std::size_t>(log2 - FTAP_HIST_MIN_LOG2, FTAP_HIST_BUCKETS);
}

}  // namespace flowtap::stats
