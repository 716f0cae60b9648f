// Work whose context switches are known in kind and about in number.
#pragma once

#include "base/result.hpp"

namespace flowtap::bench {

/// What a load took: from its start to its end, and on the CPUs by its own threads.
struct Cost {
  double wall_ns = 0;
  double cpu_ns = 0;
};

/// What the calling thread has used so far.
[[nodiscard]] double thread_cpu_ns();

/// Holds the calling thread on one CPU.
Status pin_to(int cpu);

/// Two threads on these CPUs hand a byte to and fro through pipes. On one CPU a round is two context
/// switches, each with a wake-up; on two CPUs both also go idle in between.
Result<Cost> ping_pong(int rounds, int first_cpu, int second_cpu);

/// Two threads on one CPU that yield to each other: about two switches per round, no wake-ups.
Result<Cost> yields(int rounds, int cpu);

}  // namespace flowtap::bench
