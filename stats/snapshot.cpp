#include "stats/snapshot.hpp"

namespace flowtap::stats {

double histogram_edge(std::size_t i) {
  // Exact: a power of two below 2^53, divided once.
  return static_cast<double>(std::uint64_t{1} << (FTAP_HIST_MIN_LOG2 + i)) / 1e9;
}

std::size_t histogram_bucket(std::uint64_t ns) {
  return ftap_log2_bucket(ns);
}

}  // namespace flowtap::stats
