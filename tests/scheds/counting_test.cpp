// Our schedulers count every dispatch once, and nobody else counts it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "scheds/names.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/bpf/stage.hpp"
#include "tests/scheds/hog.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/scheds/run.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 2'000;
constexpr std::uint64_t kFewTurns = 200;
constexpr int kTurns = 200;

// A timer wakes it each time.
void sleep_by_the_clock(const Cpus& cpus) {
  std::thread([&cpus] {
    allow(0, cpus);
    for (int i = 0; i < kTurns; ++i) std::this_thread::sleep_for(2ms);
  }).join();
}

class Counting : public testing::TestWithParam<std::string_view> {};

// Two threads that hand a byte to and fro; threads that come and go; more tasks than CPUs, so that some wait.
void work(scheds::Scheduler&) {
  const auto cpus = online_cpus();
  count_crew([&cpus](Hands& hands) { ping_pong(hands, kRounds, cpus, cpus); });
  for (int i = 0; i < 50; ++i) std::thread([] { std::this_thread::sleep_for(1ms); }).join();
  std::atomic<bool> stop = false;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < cpus.size() + 2; ++i)
    threads.emplace_back([&stop] {
      while (!stop) relax();
    });
  std::this_thread::sleep_for(1s);
  stop = true;
}

TEST_P(Counting, EveryDispatchOnceFromTheFirstTaskToTheLast) {
  if (refused_here()) return;
  const SchedulerRun run = run_scheduler(std::string(GetParam()), work);
  EXPECT_EQ(run.left_behind, "");
  EXPECT_EQ(run.sum(), run.others.switches);
  EXPECT_EQ(run.traced_sum(), 0U) << "the tracing programs leave the types to it";
  // The other account marks a task in its storage. The kernel refuses that to an interrupt which inserts a task while its CPU is
  // at some task's storage.
  EXPECT_LE(run.others.unmarked, kFewTurns);
  const auto unobserved = run.of(FTAP_SLOT_EXT_UNOBSERVED);
  // An insertion that the kernel takes back while the scheduler is loaded or unloaded stands only in the other account.
  EXPECT_LE(run.sum() - unobserved, run.others.after_insertion + run.others.unmarked)
      << "a type is of an insertion";
  EXPECT_GE(run.sum(), run.others.after_insertion);
  // And few are unobserved: those that ran or waited when it was loaded and unloaded.
  EXPECT_LE(unobserved, kFewTurns);
  EXPECT_LE(run.others.after_insertion, run.sum() - unobserved + kFewTurns);
  EXPECT_GE(run.others.switches, static_cast<std::uint64_t>(kRounds));
}

// For fifo this does what the scenes of domain_types_test.cpp do for domain.
TEST(CountingOfFifo, TypeByWhereATaskWasPut) {
  if (refused_here()) return;
  const SchedulerRun run = run_scheduler("fifo", [](scheds::Scheduler&) {
    allow(0, {0});
    sleep_by_the_clock({1});
    sleep_by_the_clock({0, 1});
    std::vector<std::unique_ptr<Hog>> hogs;
    for (int i = 0; i < 4; ++i) {
      hogs.push_back(std::make_unique<Hog>(Cpus{0, 1}));
      hogs.back()->hold();
    }
    sleep_by_the_clock({0, 1});
  });
  EXPECT_EQ(run.left_behind, "");
  EXPECT_EQ(run.sum(), run.others.switches);
  EXPECT_GE(run.of(FTAP_SLOT_EXT_PINNED), kTurns / 2U);
  EXPECT_GE(run.of(FTAP_SLOT_EXT_PREV_IDLE), kTurns / 2U);
  EXPECT_GE(run.of(FTAP_SLOT_EXT_DSQ), kTurns / 2U);
}

INSTANTIATE_TEST_SUITE_P(, Counting, testing::ValuesIn(scheds::kSchedulerNames),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace flowtap::test
