// Work with a known kind and about a known number of context switches.
#pragma once

#include "base/result.hpp"

namespace flowtap::bench {

/// The cost of a load: the time from its start to its end, and the CPU time of its threads.
struct Cost {
  double wall_ns = 0;
  double cpu_ns = 0;
};

/// The CPU time that the calling thread has used so far.
[[nodiscard]] double thread_cpu_ns();

/// Holds the calling thread on one CPU.
Status pin_to(int cpu);

/// Two threads on these CPUs hand a byte to and fro through pipes. On one CPU a round is two context
/// switches, each with a wake-up; on two CPUs both also go idle in between.
Result<Cost> ping_pong(int rounds, int first_cpu, int second_cpu);

/// Two threads on one CPU that yield to each other: about two switches per round, no wake-ups.
Result<Cost> yields(int rounds, int cpu);

}  // namespace flowtap::bench
