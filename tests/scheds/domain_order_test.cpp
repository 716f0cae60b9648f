// A CPU of scheds/domain has nothing to do at home, while tasks of a near and of a far domain wait: the near one comes
// first. On the machine of domain_scenes.hpp.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "tests/scheds/domain_scenes.hpp"
#include "tests/scheds/hog.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/scheds/run.hpp"

namespace flowtap::test {
namespace {

constexpr int kFree = 0;
const Cpus kNear = {2, 3};
const Cpus kFar = {4, 5};

Cpus with_free(Cpus cpus) {
  cpus.push_back(kFree);
  return cpus;
}

/// A task that sleeps until it is told to run, and then notes where it runs, and whether others have run before it.
class Waiter {
 public:
  Waiter(std::atomic<int>& ran, const Cpus& home) : ran_(ran), thread_([this, home] { play(home); }) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    quit_ = true;
    tell();
  }

  /// Waits until it is at home, or back there, and sleeps.
  void ready() const {
    while (ready_ != told_ || !asleep(tid_)) relax();
  }
  /// Where no CPU is idle, it waits for one when this returns.
  void tell() {
    told_.fetch_add(1);
    told_.notify_one();
  }
  void done() const {
    for (int done = done_; done != told_; done = done_) done_.wait(done);
  }
  [[nodiscard]] int cpu() const { return cpu_; }
  [[nodiscard]] int place() const { return place_; }

 private:
  void play(const Cpus& home) {
    tid_ = ::gettid();
    for (int told = 0; !quit_; ++told) {
      // It may belong to the domain that took it, if its own has not looked for a task for long; the emulator causes
      // that.
      settle(home.front());
      allow(0, with_free(home));
      ready_ = told;
      told_.wait(told);
      place_ = ran_.fetch_add(1);
      cpu_ = ::sched_getcpu();
      done_ = told + 1;
      done_.notify_one();
    }
  }

  std::atomic<int>& ran_;
  std::atomic<int> told_ = 0;
  std::atomic<int> done_ = 0;
  std::atomic<int> cpu_ = -1;
  std::atomic<int> place_ = -1;
  std::atomic<int> ready_ = -1;
  std::atomic<pid_t> tid_ = 0;
  std::atomic<bool> quit_ = false;
  std::jthread thread_;
};

TEST(DomainOrder, OfThoseWhoWaitElsewhereTheNearOneIsTakenFirst) {
  if (refused_here()) return;
  constexpr int kWanted = 50;
  // If a CPU of its own took one of them sooner, the round says nothing.
  constexpr int kMost = 20 * kWanted;
  int rounds = 0;
  int both = 0;
  int near_first = 0;
  const SchedulerRun run = run_scheduler("domain", [&](scheds::Scheduler&) {
    allow(0, {kDirector});
    std::vector<std::unique_ptr<Hog>> hogs;
    for (int cpu = 0; cpu < kDirector; ++cpu) hogs.push_back(std::make_unique<Hog>(Cpus{cpu}));
    std::atomic<int> ran = 0;
    Waiter near(ran, kNear);
    Waiter far(ran, kFar);
    for (const auto& hog : hogs) hog->hold();
    for (; both < kWanted && rounds < kMost; ++rounds) {
      far.ready();
      near.ready();
      far.tell();
      near.tell();
      hogs.at(kFree)->rest();
      near.done();
      far.done();
      hogs.at(kFree)->hold();
      if (near.cpu() != kFree || far.cpu() != kFree) continue;
      ++both;
      near_first += near.place() < far.place() ? 1 : 0;
    }
  });
  std::printf("of %d rounds both were taken in %d, the near one first in %d\n", rounds, both, near_first);
  EXPECT_EQ(run.left_behind, "");
  EXPECT_EQ(run.sum(), run.others.switches);
  EXPECT_EQ(both, kWanted);
  EXPECT_GE(near_first, both * 9 / 10);
  EXPECT_GE(run.of(FTAP_SLOT_EXT_GREEDY_LOCAL), static_cast<std::uint64_t>(both));
  EXPECT_GE(run.of(FTAP_SLOT_EXT_GREEDY_XNUMA), static_cast<std::uint64_t>(both));
}

}  // namespace
}  // namespace flowtap::test
