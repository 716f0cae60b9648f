// What is taken out of a slot is taken exactly once, also while others count.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "kernel/slot_reader.hpp"

namespace flowtap::kernel {
namespace {

TEST(TakeSlots, AddsToTheSumsAndLeavesZero) {
  std::array<std::uint64_t, 3> block{5, 0, 7};
  std::array<std::uint64_t, 3> sums{1, 2, 3};
  take_slots(block, sums);
  EXPECT_EQ(block, (std::array<std::uint64_t, 3>{0, 0, 0}));
  EXPECT_EQ(sums, (std::array<std::uint64_t, 3>{6, 2, 10}));
}

TEST(TakeSlots, LosesAndDoublesNothingWhileOthersCount) {
  constexpr std::uint64_t kEach = 5'000'000;  // so many that the two meet also where others have the CPUs
  constexpr std::size_t kSlots = 8;
  alignas(64) std::array<std::uint64_t, kSlots> block{};
  std::array<std::uint64_t, kSlots> sums{};
  std::atomic<int> running = 2;
  {
    std::vector<std::jthread> counters;
    for (int t = 0; t < 2; ++t)
      counters.emplace_back([&] {
        for (std::uint64_t n = 0; n < kEach; ++n)
          std::atomic_ref(block[n % kSlots]).fetch_add(1, std::memory_order_relaxed);
        --running;
      });
    while (running != 0) take_slots(block, sums);
  }
  take_slots(block, sums);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), 2 * kEach);
}

}  // namespace
}  // namespace flowtap::kernel
