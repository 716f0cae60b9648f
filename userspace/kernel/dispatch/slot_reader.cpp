#include "kernel/dispatch/slot_reader.hpp"

#include <atomic>

namespace flowtap::kernel {

void take_slots(std::span<std::uint64_t> block, std::span<std::uint64_t> sums) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    const std::atomic_ref<std::uint64_t> counter(block[i]);
    // Relaxed is enough: each counter stands for itself, and no other memory depends on it.
    if (counter.load(std::memory_order_relaxed) == 0) continue;
    sums[i] += counter.exchange(0, std::memory_order_relaxed);
  }
}

void SlotReader::take(stats::SlotCounts& counts) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  for (ftap_block& block : blocks_.elements()) {
    for (std::size_t c = 0; c < FTAP_NR_CLASSES; ++c) {
      // `unsigned long long` in the shared header and `unsigned long` here are the same eight bytes.
      auto* first = reinterpret_cast<std::uint64_t*>(&block.slot[c][0]);
      take_slots({first, FTAP_NR_SLOTS}, counts.at(c));
    }
  }
}

}  // namespace flowtap::kernel
