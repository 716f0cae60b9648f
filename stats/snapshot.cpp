#include "stats/snapshot.hpp"

namespace flowtap::stats {

double histogram_edge(std::size_t i, unsigned widened) {
  // Exact: a power of two below 2^53, divided once.
  return static_cast<double>(std::uint64_t{1} << (FTAP_HIST_MIN_LOG2 + widened + i)) / 1e9;
}

std::size_t histogram_bucket(std::uint64_t ns, unsigned widened) {
  // Rounded up, so that a value over an edge stays over it.
  const std::uint64_t part = (std::uint64_t{1} << widened) - 1;
  return ftap_log2_bucket((ns >> widened) + ((ns & part) != 0 ? 1 : 0));
}

}  // namespace flowtap::stats
