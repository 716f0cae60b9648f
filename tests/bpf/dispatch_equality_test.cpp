// Dispatches made == dispatches counted, by type and in sum, on the running kernel.
//
// Each test lets a crew (tests/support/crew.hpp) do a known job while the product's own programs count its
// cgroup. The laws that hold whatever else the machine does:
//   every dispatch has one type            sum of types == voluntary + nonvoluntary switches
//   a task that slept must be woken        types of woken and new tasks == voluntary switches (+ moved ones)
//   a task that was put off comes back     preempted <= nonvoluntary switches
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>

#include "tests/bpf/count_crew.hpp"

namespace flowtap {
namespace {

using test::count_crew;
using test::Hands;
using test::Outcome;
using test::ping_pong;

// Under emulation a switch costs a hundred times as much: the millions are left to the test on the hardware.
int many_rounds() {
  return test::in_vm() ? 50'000 : 1'000'000;
}

void expect_laws(const Outcome& o) {
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_LE(o.of(FTAP_SLOT_UNOBSERVED), o.unobserved_limit());
  EXPECT_LE(o.woken_or_new(), o.switches.voluntary);
  EXPECT_LE(o.of(FTAP_SLOT_PREEMPTED), o.switches.nonvoluntary);
  EXPECT_EQ(o.latency_count(), o.sum() - o.of(FTAP_SLOT_UNOBSERVED))
      << "each dispatch has one run-queue latency";
}

TEST(DispatchEquality, PinnedPingPongIsPinned) {
  constexpr int kRounds = 20'000;
  const int cpu = test::online_cpus().front();
  const Outcome o = count_crew([cpu](Hands& hands) { ping_pong(hands, kRounds, {cpu}, {cpu}); });
  expect_laws(o);
  // A round cannot end unless one of the two has slept, and it is woken on the only CPU that it may use.
  EXPECT_GE(o.of(FTAP_SLOT_PINNED) + o.of(FTAP_SLOT_UNOBSERVED), kRounds - 2U);
  EXPECT_LE(o.of(FTAP_SLOT_PINNED), o.switches.voluntary);
}

TEST(DispatchEquality, YieldsComeBackAsPreempted) {
  constexpr int kYields = 20'000;
  const int cpu = test::online_cpus().front();
  const Outcome o = count_crew([cpu](Hands& hands) {
    auto* both = new std::barrier(2);  // never destroyed: the threads stay, asleep, until they are killed
    for (int i = 0; i < 2; ++i)
      hands.thread([cpu, both] {
        test::pin_to({cpu});
        both->arrive_and_wait();
        for (int n = 0; n < kYields; ++n) ::sched_yield();
      });
    hands.wait();
  });
  expect_laws(o);
  // Once they have pinned themselves nobody may move them, so after each involuntary switch they come back.
  EXPECT_GE(o.of(FTAP_SLOT_PREEMPTED) + o.pulled() + o.of(FTAP_SLOT_UNOBSERVED), o.switches.nonvoluntary);
  // The scheduler chooses how many yields of one let the other run; 6.1 grants few of them.
  EXPECT_GT(o.of(FTAP_SLOT_PREEMPTED), 0U);
}

TEST(DispatchEquality, ForksAndThreadsAreNew) {
  constexpr std::uint64_t kEach = 200;
  const Outcome o = count_crew([](Hands& hands) {
    for (std::uint64_t i = 0; i < kEach; ++i) {
      hands.process([] {});
      hands.thread([] {});
    }
    hands.wait();
  });
  expect_laws(o);
  EXPECT_LE(o.of(FTAP_SLOT_NEW), 2U * kEach);
  EXPECT_GE(o.of(FTAP_SLOT_NEW) + o.of(FTAP_SLOT_UNOBSERVED), 2U * kEach);
}

TEST(DispatchEquality, WakeUpsAcrossCpusAreTypedByPlacement) {
  constexpr int kRounds = 20'000;
  const auto cpus = test::online_cpus();
  ASSERT_GE(cpus.size(), 2U);
  // The waker is held on one CPU, the other thread may use all: where it lands is the scheduler's choice, but it is
  // never pinned. On a busy machine it may land away from the waker each time; wake_order_test.cpp tests how many are
  // of one type.
  const Outcome o = count_crew(
      [&cpus](Hands& hands) { ping_pong(hands, kRounds, {cpus.at(0)}, {cpus.at(0), cpus.at(1)}); });
  expect_laws(o);
  EXPECT_GT(o.of(FTAP_SLOT_PINNED), 0U);
  EXPECT_GT(o.woken_or_new() - o.of(FTAP_SLOT_PINNED) - o.of(FTAP_SLOT_NEW), 0U);
}

// A writer never stops, and its reader is quicker: often the reader is woken when it has decided to sleep and still
// runs. Such a wake-up leads to no dispatch.
TEST(DispatchEquality, AWakeUpOfATaskThatStillRunsCountsNothing) {
  const int bytes = many_rounds() / 4;
  const auto cpus = test::online_cpus();
  ASSERT_GE(cpus.size(), 2U);
  const Outcome o = count_crew([&](Hands& hands) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) ::_exit(1);
    hands.thread([=, &cpus] {
      test::pin_to({cpus.at(0)});
      for (int i = 0; i < bytes; ++i) {
        for (std::atomic<int> pause = 0; pause < 200; ++pause) {
        }
        if (::write(pipe[1], "x", 1) != 1) ::_exit(1);
      }
    });
    hands.thread([=, &cpus] {
      test::pin_to({cpus.at(1)});
      char c = 0;
      for (int i = 0; i < bytes; ++i)
        if (::read(pipe[0], &c, 1) != 1) ::_exit(1);
    });
    hands.wait();
  });
  expect_laws(o);
}

TEST(DispatchEquality, NothingIsLostOrDoubledResettingEveryMillisecond) {
  constexpr std::uint64_t kResets = 500;
  const int rounds = many_rounds();
  const int cpu = test::online_cpus().front();
  const Outcome o = count_crew([=](Hands& hands) { ping_pong(hands, rounds, {cpu}, {cpu}); },
                               {.cycle = std::chrono::milliseconds(1), .resets = kResets});
  expect_laws(o);
  EXPECT_GE(o.sum(), 2U * static_cast<std::uint64_t>(rounds));
  EXPECT_GE(o.resets, kResets);
}

// One pair on one CPU, where each round certainly has two dispatches, and one pair that may use all CPUs.
TEST(DispatchEquality, NothingIsLostOrDoubledResettingEverySecond) {
  constexpr std::uint64_t kResets = 2;
  const int rounds = many_rounds();
  const auto cpus = test::online_cpus();
  const Outcome o = count_crew(
      [&](Hands& hands) {
        test::start_ping_pong(hands, rounds / 2, cpus, cpus);
        ping_pong(hands, rounds, {cpus.front()}, {cpus.front()});
      },
      {.cycle = std::chrono::seconds(1), .resets = kResets});
  expect_laws(o);
  EXPECT_GE(o.sum(), 2U * static_cast<std::uint64_t>(rounds));
  EXPECT_GE(o.resets, kResets);
}

}  // namespace
}  // namespace flowtap
