// Lets a crew do a known job while the product's own programs count its cgroup.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "stats/slot_source.hpp"
#include "tests/support/crew.hpp"

namespace flowtap::test {

struct Outcome {
  stats::SlotCounts counts{};
  SwitchCounts switches;  ///< what the kernel says the crew did meanwhile

  [[nodiscard]] std::uint64_t of(std::size_t slot, std::size_t cls = FTAP_CLASS_KERNEL) const {
    return counts.at(cls).at(slot);
  }
  [[nodiscard]] std::uint64_t sum(std::size_t cls = FTAP_CLASS_KERNEL) const;
  [[nodiscard]] std::uint64_t pulled() const;
  [[nodiscard]] std::uint64_t woken_or_new() const;
  [[nodiscard]] std::uint64_t latency_count() const;
};

/// Counts while the crew works, reading and resetting every `cycle`, and prints what it found. `meanwhile` is
/// called between two cycles.
Outcome count_crew(const std::function<void(Hands&)>& job,
                   std::chrono::microseconds cycle = std::chrono::milliseconds(10),
                   const std::function<void()>& meanwhile = {});

/// Two threads that hand a byte to and fro: every hand-over is a wake-up and a sleep.
void ping_pong(Hands& hands, int rounds, const std::vector<int>& first, const std::vector<int>& second);

}  // namespace flowtap::test
