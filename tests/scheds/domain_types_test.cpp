// Each type of dispatch of scheds/domain, and each of its extras, made on purpose: on a machine with 2 NUMA nodes of 2 cache
// domains of 2 CPUs each, as vmtest/run --topology numa-llc has it: node 0 with caches {0,1} {2,3}, node 1 with {4,5} {6,7}.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/scheds/hog.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/scheds/run.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using Scheduler = scheds::Scheduler;

constexpr std::uint64_t kRounds = 40;
constexpr auto kNap = 2ms;

// What the sleeper does on its own thread, far from the director, who stays on its CPU.
void as_sleeper(const std::function<void()>& part) {
  allow(0, {kDirector});
  std::thread(part).join();
}

// A timer wakes it, so no wake-up of this is synchronous.
void nap() {
  std::this_thread::sleep_for(kNap);
}

// Its domain is that of this CPU from now on, and it has just run there.
void settle(int cpu) {
  allow(0, {cpu});
  nap();
}

// The sleeper, at home on CPU 0 and allowed on `allowed`, wakes up while these CPUs are held.
void wake_beside(const Cpus& held, const Cpus& allowed, bool settles = true) {
  std::vector<std::unique_ptr<Hog>> hogs;
  for (const int cpu : held) hogs.push_back(std::make_unique<Hog>(Cpus{cpu}));
  as_sleeper([&] {
    settle(0);
    for (const auto& hog : hogs) hog->hold();
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      if (settles) settle(0);
      allow(0, allowed);
      nap();
    }
  });
}

// Two that hand a byte to and fro through pipes, whose wake-ups are synchronous.
void hand_over(const Cpus& first, const Cpus& second) {
  int there[2];  // NOLINT(modernize-avoid-c-arrays)
  int back[2];   // NOLINT(modernize-avoid-c-arrays)
  ASSERT_EQ(::pipe(there), 0);
  ASSERT_EQ(::pipe(back), 0);
  allow(0, {kDirector});
  const auto play = [](const Cpus& cpus, int from, int to) {
    allow(0, cpus);
    char byte = 0;
    for (std::uint64_t i = 0; i < kRounds; ++i)
      if (::read(from, &byte, 1) != 1 || ::write(to, &byte, 1) != 1) return;
  };
  const std::jthread one([&] { play(first, there[0], back[1]); });
  const std::jthread two([&] { play(second, back[0], there[1]); });
  const char byte = 'x';
  ASSERT_EQ(::write(there[1], &byte, 1), 1);
}

// Keeps running beside a pinned one, so that it is put into its domain's queue at the end of each slice.
void share(int cpu, const Cpus& allowed, const Cpus& held) {
  Hog pinned({cpu});
  std::vector<std::unique_ptr<Hog>> hogs;
  for (const int other : held) hogs.push_back(std::make_unique<Hog>(Cpus{other}));
  as_sleeper([&] {
    settle(cpu);
    pinned.hold();
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      settle(cpu);
      for (const auto& hog : hogs) hog->hold();
      allow(0, allowed);
      // Long enough for several slices; those that hold the other CPUs leave in the middle of it.
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < 30ms) relax();
      for (const auto& hog : hogs) hog->rest();
      while (std::chrono::steady_clock::now() - begin < 90ms) relax();
    }
  });
}

// Pulled to CPU 2 while its home is held, it comes back when that is free.
void come_home() {
  Hog first({0});
  Hog second({1});
  as_sleeper([&] {
    settle(0);
    allow(0, {0, 1, 2});
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      first.hold();
      second.hold();
      nap();
      first.rest();
      second.rest();
      nap();
      nap();
    }
  });
}

// Many that always want to run, all at home in one domain.
void crowd(Scheduler& scheduler) {
  allow(0, {kDirector});
  std::atomic<bool> stop = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 12; ++i)
    threads.emplace_back([&stop] {
      settle(0);
      allow(0, {0, 1, 2, 3, 4, 5, 6});
      while (!stop) relax();
    });
  for (int i = 0; i < 8; ++i) {
    std::this_thread::sleep_for(700ms);
    scheduler.look_around();
  }
  stop = true;
}

struct Scene {
  const char* name;
  std::size_t slot;
  std::function<void(Scheduler&)> play;
  std::uint64_t least = kRounds / 2;
};

std::ostream& operator<<(std::ostream& out, const Scene& scene) {
  return out << scene.name;
}

class DomainType : public testing::TestWithParam<Scene> {};

TEST_P(DomainType, IsCounted) {
  if (refused_here()) return;
  const Scene& scene = GetParam();
  const SchedulerRun run = run_scheduler("domain", scene.play);
  EXPECT_EQ(run.left_behind, "");
  EXPECT_GE(run.of(scene.slot), scene.least);
  EXPECT_EQ(run.sum(), run.others.switches);
  EXPECT_EQ(run.of(FTAP_SLOT_TASK_ERRORS), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    , DomainType,
    testing::Values(
        Scene{"wsync_prev_idle", FTAP_SLOT_EXT_WSYNC_PREV_IDLE, [](Scheduler&) { hand_over({0}, {1, 2}); }},
        Scene{"wsync", FTAP_SLOT_EXT_WSYNC, [](Scheduler&) { hand_over({0}, {0, 2}); }},
        Scene{"prev_idle", FTAP_SLOT_EXT_PREV_IDLE, [](Scheduler&) { wake_beside({}, {0, 1}); }},
        Scene{"greedy_idle", FTAP_SLOT_EXT_GREEDY_IDLE,
              [](Scheduler&) { wake_beside({0, 1}, {0, 1, 2}, false); }},
        Scene{"pinned", FTAP_SLOT_EXT_PINNED, [](Scheduler&) { wake_beside({}, {0}); }},
        Scene{"direct_greedy", FTAP_SLOT_EXT_DIRECT_GREEDY,
              [](Scheduler&) { wake_beside({0, 1}, {0, 1, 2, 3}); }},
        Scene{"direct_greedy_far", FTAP_SLOT_EXT_DIRECT_GREEDY_FAR,
              [](Scheduler&) { wake_beside({0, 1}, {0, 1, 4}); }},
        Scene{"dsq", FTAP_SLOT_EXT_DSQ, [](Scheduler&) { share(0, {0, 1}, {1}); }},
        Scene{"greedy_local", FTAP_SLOT_EXT_GREEDY_LOCAL, [](Scheduler&) { share(0, {0, 2}, {2}); }},
        Scene{"greedy_xnuma", FTAP_SLOT_EXT_GREEDY_XNUMA, [](Scheduler&) { share(0, {0, 4}, {4}); }},
        Scene{"kick_greedy", FTAP_SLOT_KICK_GREEDY, [](Scheduler&) { share(0, {0, 2}, {}); }},
        Scene{"repatriate", FTAP_SLOT_REPATRIATE, [](Scheduler&) { come_home(); }},
        Scene{"load_balance", FTAP_SLOT_LOAD_BALANCE, crowd, 3}),
    [](const auto& test) { return test.param.name; });

// These happen all the time anyway, so what the trigger does is seen beside a run without it, which is as long.
class DomainTrigger : public testing::Test {
 protected:
  void play(const std::function<void(bool)>& scene) {
    without_ = run_scheduler("domain", [&scene](Scheduler&) { scene(false); });
    with_ = run_scheduler("domain", [&scene](Scheduler&) { scene(true); });
    for (const SchedulerRun* run : {&without_, &with_}) {
      EXPECT_EQ(run->left_behind, "");
      EXPECT_EQ(run->sum(), run->others.switches);
    }
  }
  // By the trigger, more or less by what else goes on.
  [[nodiscard]] std::int64_t more(std::size_t slot) const {
    return static_cast<std::int64_t>(with_.of(slot)) - static_cast<std::int64_t>(without_.of(slot));
  }

 private:
  SchedulerRun without_;
  SchedulerRun with_;
};

TEST_F(DomainTrigger, WhoseCpuIsHeldGoesToAnIdleOneAtHomeInsteadOfItsOwn) {
  if (refused_here()) return;
  constexpr int kTurns = 300;
  play([](bool held) {
    Hog hog({0});
    as_sleeper([&] {
      settle(0);
      if (held) hog.hold();
      for (int i = 0; i < kTurns; ++i) {
        settle(0);
        allow(0, {0, 1});
        nap();
      }
    });
  });
  EXPECT_GE(more(FTAP_SLOT_EXT_DIRECT), kTurns / 2);
  EXPECT_LE(more(FTAP_SLOT_EXT_PREV_IDLE), -kTurns / 2);
}

TEST_F(DomainTrigger, WhoSleepsWhileItsDomainRunsOnIsClampedElseItKeepsWhatItHas) {
  if (refused_here()) return;
  constexpr int kTurns = 60;
  play([](bool runs_on) {
    Hog hog({0});
    as_sleeper([&] {
      settle(1);
      if (runs_on) hog.hold();
      for (int i = 0; i < kTurns; ++i)
        std::this_thread::sleep_for(50ms);  // more than the 20 ms that it may keep
    });
  });
  EXPECT_GE(more(FTAP_SLOT_DL_CLAMPED), kTurns / 2);
  EXPECT_LE(more(FTAP_SLOT_DL_PRESET), -kTurns / 2);
}

}  // namespace
}  // namespace flowtap::test
