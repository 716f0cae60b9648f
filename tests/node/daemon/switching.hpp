// Work that switches tasks, and the kernel's own count of switches.
#pragma once

#include <unistd.h>

#include <array>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/crew.hpp"

namespace flowtap::test {

inline constexpr int kForEver = std::numeric_limits<int>::max();

/// For a Crew's job: two threads hand a byte to and fro, where the job itself may run. On one CPU each round needs the scheduler:
/// it has two wake-ups and two sleeps.
inline void hand_to_and_fro(Hands& hands, int rounds) {
  std::array<int, 2> ping{};
  std::array<int, 2> pong{};
  if (::pipe(ping.data()) != 0 || ::pipe(pong.data()) != 0) ::_exit(1);
  const auto play = [rounds](int in, int out, bool serves) {
    char c = 'x';
    for (int i = 0; i < rounds; ++i) {
      if (serves && ::write(out, &c, 1) != 1) ::_exit(1);
      if (::read(in, &c, 1) != 1) ::_exit(1);
      if (!serves && ::write(out, &c, 1) != 1) ::_exit(1);
    }
  };
  hands.thread([=] { play(pong[0], ping[1], true); });
  hands.thread([=] { play(ping[0], pong[1], false); });
  hands.wait();
}

/// The same on one CPU.
inline void ping_pong(Hands& hands, int rounds, int cpu = 0) {
  pin_to({cpu});
  hand_to_and_fro(hands, rounds);
}

/// Counts all CPUs since the machine started. Switches to the idle task are among them, which are no dispatch.
inline double machine_switches() {
  std::ifstream stat("/proc/stat");
  std::string word;
  while (stat >> word) {
    double n = 0;
    if (word == "ctxt" && stat >> n) return n;
  }
  throw std::runtime_error("/proc/stat has no ctxt");
}

}  // namespace flowtap::test
