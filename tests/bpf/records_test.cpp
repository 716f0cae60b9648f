// Each task has a record of its own, whatever becomes of its pid and however many tasks there are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <thread>

#include "tests/bpf/count_crew.hpp"

namespace flowtap {
namespace {

using test::count_crew;
using test::Hands;
using test::Outcome;

void expect_observed(const Outcome& o) {
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_LE(o.of(FTAP_SLOT_UNOBSERVED), o.unobserved_limit());
}

// A thread that is not the leader execs, and so takes over the leader's pid while the leader is still being buried.
// The exec is preparation: nobody can ask any more how often the leader has switched.
TEST(Records, AThreadKeepsItsRecordWhenItsExecGivesItTheLeadersPid) {
  constexpr std::uint64_t kRounds = 2'000;
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  ASSERT_EQ(::pipe(to.data()), 0);
  ASSERT_EQ(::pipe(from.data()), 0);
  const auto hand_over = [&](std::uint64_t rounds) {
    char c = 'x';
    for (std::uint64_t i = 0; i < rounds; ++i)
      if (::write(to[1], &c, 1) != 1 || ::read(from[0], &c, 1) != 1) ::_exit(1);
  };
  const auto exec = [&](Hands& hands) {
    hands.process([&] {
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      std::jthread([] {
        ::execl("/bin/cat", "cat", nullptr);
        ::_exit(1);
      }).join();
    });
    hand_over(1);
  };
  const Outcome o = count_crew([&](Hands&) { hand_over(kRounds); }, {.prepare = exec});
  for (const int fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
  EXPECT_EQ(o.switches.tasks, 2U);
  EXPECT_GE(o.sum(), kRounds);
  if (test::in_vm()) {
    EXPECT_EQ(o.prepared.at(FTAP_CLASS_KERNEL).at(FTAP_SLOT_UNOBSERVED), 0U) << "in the midst of the exec";
  }
  expect_observed(o);
}

// So many that some share a place in the array of records. How they are spread is the kernel's business; a kernel
// that spread them at random would let all have one to themselves in one run of 10^7.
TEST(Records, TasksThatShareAPlaceHaveARecordEach) {
  constexpr std::uint64_t kThreads = 1500;
  constexpr std::uint64_t kTurns = 5;
  const Outcome o = count_crew([](Hands& hands) {
    auto* all = new std::barrier(kThreads);  // never destroyed: the threads stay until they are killed
    for (std::uint64_t i = 0; i < kThreads; ++i)
      hands.thread([all] {
        for (std::uint64_t turn = 0; turn < kTurns; ++turn) all->arrive_and_wait();
      });
    hands.wait();
  });
  EXPECT_EQ(o.switches.tasks, kThreads + 1);
  EXPECT_LE(o.of(FTAP_SLOT_NEW), kThreads);
  EXPECT_GE(o.of(FTAP_SLOT_NEW) + o.of(FTAP_SLOT_UNOBSERVED), kThreads);
  expect_observed(o);
}

}  // namespace
}  // namespace flowtap
