// Tasks that lose their CPU to one of SCHED_FIFO while they want to go on: what type they get when they come back, and
// how long they waited.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "stats/snapshot.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/bpf/stage.hpp"

namespace flowtap::test {
namespace {

using std::chrono::steady_clock;

void expect_laws(const Outcome& o) {
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_LE(o.of(FTAP_SLOT_PREEMPTED), o.switches.nonvoluntary);
  EXPECT_GE(o.of(FTAP_SLOT_PREEMPTED) + o.pulled() + o.of(FTAP_SLOT_UNOBSERVED), o.switches.nonvoluntary)
      << "who was put off comes back";
}

// One task repeats `go_on` until the other, which sleeps and then takes the CPU from it, has done so `turns` times.
void disturb(Hands& hands, std::uint64_t turns, const std::function<void()>& go_on,
             std::chrono::nanoseconds sleep, const std::function<void()>& take) {
  const int cpu = online_cpus().front();
  struct Scene {
    std::atomic<bool> begun = false;
    std::atomic<bool> over = false;
  };
  const auto scene = std::make_shared<Scene>();
  hands.thread([=] {
    pin_to({cpu});
    scene->begun = true;
    while (!scene->over) go_on();
  });
  hands.thread([=] {
    pin_to({cpu});
    rank(0, kHog);
    while (!scene->begun) std::this_thread::sleep_for(sleep);
    for (std::uint64_t i = 0; i < turns; ++i) {
      std::this_thread::sleep_for(sleep);
      take();
    }
    scene->over = true;
  });
  hands.wait();
}

// waitpid() sets the state of a sleeper before it looks at the children, and takes it back where it is not to wait. A
// kernel that preempts itself (full or lazy) takes the CPU from it in between, and the task is back without a wake-up.
// Other kernels do not, and show nothing here; preempted_full of vmtest does.
void look() {
  ::waitpid(-1, nullptr, WNOHANG);
}

TEST(Preempted, WithTheStateOfASleeperItDoesNotSleep) {
  constexpr std::uint64_t kTurns = 2'000;
  constexpr int kChildren = 200;  // so that its look takes long
  const Outcome o =
      count_crew([](Hands& hands) { disturb(hands, kTurns, look, std::chrono::microseconds(50), [] {}); },
                 {.prepare = [](Hands& hands) {
                   for (int i = 0; i < kChildren; ++i) hands.process([] {});
                 }});
  expect_laws(o);
  // The hidden agents of unobserved_limit() depend on time and not on dispatches, of which there are few here.
  EXPECT_LE(o.of(FTAP_SLOT_UNOBSERVED), in_vm() ? 0 : o.sum() / 4);
  EXPECT_GT(o.switches.nonvoluntary, 0U);
}

constexpr int kHolds = 40;
constexpr std::chrono::nanoseconds kHeld = std::chrono::milliseconds(5);

double seconds(std::chrono::nanoseconds t) {
  return std::chrono::duration<double>(t).count();
}

void hold() {
  for (const auto end = steady_clock::now() + kHeld; steady_clock::now() < end;) relax();
}

TEST(Preempted, WaitsAsLongAsItIsKeptOffItsCpu) {
  const auto begin = steady_clock::now();
  const Outcome o = count_crew([](Hands& hands) { disturb(hands, kHolds, relax, kHeld, hold); });
  const auto wall = steady_clock::now() - begin;
  expect_laws(o);
  const auto sum = static_cast<double>(o.of(FTAP_SLOT_LATENCY + FTAP_HIST_SUM)) / 1e9;
  // Unobserved dispatches have no latency, and may have waited through several holds.
  EXPECT_GE(sum, kHolds * seconds(kHeld) / (in_vm() ? 1 : 2));
  EXPECT_LE(sum, static_cast<double>(o.switches.tasks) * seconds(wall))
      << "nobody waits longer than all took";
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    const auto n = static_cast<double>(o.of(FTAP_SLOT_LATENCY + i));
    low += n * (i > 0 ? stats::histogram_edge(i - 1) : 0);
    high += n * stats::histogram_edge(i);
  }
  EXPECT_LE(low, sum) << "each wait is in its bucket";
  EXPECT_GE(high, sum);
}

}  // namespace
}  // namespace flowtap::test
