// What is taken out of a slot is taken exactly once, even while others count.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <thread>

#include "kernel/dispatch/slot_reader.hpp"

namespace flowtap::kernel {
namespace {

TEST(TakeSlots, AddsToTheSumsAndLeavesZero) {
  std::array<std::uint64_t, 3> block{5, 0, 7};
  std::array<std::uint64_t, 3> sums{1, 2, 3};
  take_slots(block, sums);
  EXPECT_EQ(block, (std::array<std::uint64_t, 3>{0, 0, 0}));
  EXPECT_EQ(sums, (std::array<std::uint64_t, 3>{6, 2, 10}));
}

// Goes on until the two have met often: where others have the CPUs, one may be done before the other begins.
TEST(TakeSlots, LosesAndDoublesNothingWhileOthersCount) {
  constexpr std::uint64_t kMeetings = 20'000;
  constexpr std::uint64_t kMost = 100'000'000;
  constexpr std::size_t kSlots = 8;
  alignas(64) std::array<std::uint64_t, kSlots> block{};
  std::array<std::uint64_t, kSlots> sums{};
  const auto taken = [&sums] { return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}); };
  std::atomic<bool> enough = false;
  std::atomic<bool> running = true;
  std::uint64_t counted = 0;
  {
    const std::jthread counter([&] {
      for (; counted < kMost && !enough; ++counted)
        std::atomic_ref(block[counted % kSlots]).fetch_add(1, std::memory_order_relaxed);
      running = false;
    });
    std::uint64_t meetings = 0;
    while (running) {
      const std::uint64_t before = taken();
      take_slots(block, sums);
      meetings += taken() != before ? 1 : 0;
      enough = meetings >= kMeetings;
    }
  }
  take_slots(block, sums);
  EXPECT_EQ(taken(), counted);
}

}  // namespace
}  // namespace flowtap::kernel
