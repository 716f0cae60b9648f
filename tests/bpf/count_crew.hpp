// Lets a crew do a known job while the product's own programs count its cgroup.
#pragma once

#include <gtest/gtest.h>

#include <chrono>

#include "kernel/dispatch/dispatch_programs.hpp"
#include "stats/slot_source.hpp"
#include "tests/support/crew.hpp"
#include "tests/support/in_vm.hpp"

namespace flowtap::test {

struct Outcome {
  stats::SlotCounts prepared{};  ///< what was counted before the job
  stats::SlotCounts counts{};
  SwitchCounts switches;     ///< what the kernel says the crew did meanwhile
  std::uint64_t resets = 0;  ///< readings that found something while the crew worked, and set it back to 0

  [[nodiscard]] std::uint64_t of(std::size_t slot, std::size_t cls = FTAP_CLASS_KERNEL) const {
    return counts.at(cls).at(slot);
  }
  [[nodiscard]] std::uint64_t sum(std::size_t cls = FTAP_CLASS_KERNEL) const;
  [[nodiscard]] std::uint64_t pulled() const;
  [[nodiscard]] std::uint64_t woken_or_new() const;
  [[nodiscard]] std::uint64_t latency_count() const;
  /// How many may be unobserved. In the VM none may. Some machines hide the switches of a guarding agent from tracing,
  /// and with them the dispatch of the task behind it.
  [[nodiscard]] std::uint64_t unobserved_limit() const;
};

struct Counting {
  std::chrono::microseconds cycle =
      std::chrono::milliseconds(10);  ///< from one reading and resetting to the next
  std::uint64_t resets = 0;           ///< Hands::wanted() until there have been this many
  Job before = {};                    ///< done before the programs are attached
  Job prepare = {};                   ///< done before the count, but under the eyes of the programs
};

/// The product's own programs, to count one cgroup.
kernel::DispatchLive attach(std::uint64_t cgroup);

/// Counts while the crew does `job`, and prints what it found.
Outcome count_crew(const Job& job, const Counting& how = {});

/// Two threads hand a byte to and fro, at least for this many rounds, and on while it is wanted. Every hand-over is a
/// wake-up and a sleep. Only if the two are on different CPUs one may find the byte there before it sleeps.
void ping_pong(Hands& hands, int rounds, const std::vector<int>& first, const std::vector<int>& second);

/// The same for several pairs at once, without waiting for their end.
void start_ping_pong(Hands& hands, int rounds, const std::vector<int>& first, const std::vector<int>& second);

}  // namespace flowtap::test
