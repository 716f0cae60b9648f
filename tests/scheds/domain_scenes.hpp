// What makes each type of dispatch of scheds/domain, and each of its extras: on a machine with 2 NUMA nodes of 2 cache domains of
// 2 CPUs each, as vmtest/run --topology numa-llc has it: node 0 with caches {0,1} {2,3}, node 1 with {4,5} {6,7}.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <span>

#include "tests/bpf/stage.hpp"

namespace flowtap::test {

/// Has the scheduler do what it does once a second, where nobody else sees to that.
using Look = std::function<void()>;

struct Scene {
  const char* name;
  std::size_t slot;  ///< of stats/scheds.def
  std::function<void(const Look&)> play;
  std::uint64_t least;  ///< so often at least, when it was played
};

inline std::ostream& operator<<(std::ostream& out, const Scene& scene) {
  return out << scene.name;
}

/// Types of dispatch first, all of them, then the extras that are not always there anyway.
[[nodiscard]] std::span<const Scene> domain_scenes();

/// What the sleeper does on its own thread, far from the director, who stays on its CPU.
void as_sleeper(const std::function<void()>& part);
/// A timer wakes it, so no wake-up of this is synchronous.
void nap();
/// Its domain is that of this CPU from now on, and it has just run there.
void settle(int cpu);
/// It sleeps for longer than a task keeps of what it does not use, so many times, on a domain that `runs_on` meanwhile or not.
void sleep_long(bool runs_on, int turns);

}  // namespace flowtap::test
