// What makes each type of dispatch of scheds/domain, and each of its extras, on a machine with 2 NUMA nodes of 2 cache
// domains of 2 CPUs each, like that of vmtest/run --topology numa-llc: node 0 with caches {0,1} {2,3}, node 1 with
// {4,5} {6,7}.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <span>

#include "tests/bpf/stage.hpp"

namespace flowtap::test {

/// Lets the scheduler do what it does once a second, where nobody else calls it.
using Look = std::function<void()>;

struct Scene {
  const char* name;
  std::size_t slot;  ///< a row of stats/scheds.def
  std::function<void(const Look&)> play;
  std::uint64_t least;  ///< how often it counts at least, once it was played
};

inline std::ostream& operator<<(std::ostream& out, const Scene& scene) {
  return out << scene.name;
}

/// First all types of dispatch, then those extras that do not occur anyway.
[[nodiscard]] std::span<const Scene> domain_scenes();

/// What the sleeper does on its own thread, far from the director, who stays on its CPU.
void as_sleeper(const std::function<void()>& part);
/// A timer wakes it, so no wake-up of this is synchronous.
void nap();
/// From now on its domain is that of this CPU, where it has just run.
void settle(int cpu);
/// It sleeps this many times, each time for longer than the unused time that a task may keep. Its domain
/// `runs_on` meanwhile or does not.
void sleep_long(bool runs_on, int turns);

}  // namespace flowtap::test
