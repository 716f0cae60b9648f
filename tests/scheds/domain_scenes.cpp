#include "tests/scheds/domain_scenes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "stats/slot_source.hpp"
#include "tests/scheds/hog.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kRounds = 40;
constexpr auto kNap = 2ms;

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

// On every CPU a kernel thread that is bound to it has work, and somebody waits for that.
void kernel_threads() {
  std::vector<std::unique_ptr<Hog>> hogs;
  for (int cpu = 0; cpu < kDirector; ++cpu) hogs.push_back(std::make_unique<Hog>(Cpus{cpu}));
  as_sleeper([&] {
    for (const auto& hog : hogs) hog->hold();
    // In the kernel vmstat_refresh() schedules a work item on each CPU and waits for all.
    for (std::uint64_t i = 0; i < kRounds; ++i)
      EXPECT_TRUE(std::ofstream("/proc/sys/vm/stat_refresh") << 1 << std::flush);
  });
}

// Two threads that hand a byte to and fro through pipes, whose wake-ups are synchronous.
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

// Keeps running beside a pinned task, so that it is put into its domain's queue at the end of each slice.
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
      // This is long enough for several slices; those that hold the other CPUs leave in the middle of it.
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < 30ms) relax();
      for (const auto& hog : hogs) hog->rest();
      while (std::chrono::steady_clock::now() - begin < 90ms) relax();
    }
  });
}

// It is pulled to CPU 2 while its home is held, and comes back when that is free.
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

// Many threads that always want to run, all at home in one domain.
void crowd(const Look& look_around) {
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
    look_around();
  }
  stop = true;
}

}  // namespace

void as_sleeper(const std::function<void()>& part) {
  allow(0, {kDirector});
  std::thread(part).join();
}

void nap() {
  std::this_thread::sleep_for(kNap);
}

void settle(int cpu) {
  allow(0, {cpu});
  nap();
}

void sleep_long(bool runs_on, int turns) {
  Hog hog({0, 1});  // on its domain's clock, like the sleeper
  as_sleeper([&] {
    settle(1);
    allow(0, {0, 1});
    if (runs_on) hog.hold();
    for (int i = 0; i < turns; ++i)
      std::this_thread::sleep_for(50ms);  // more than the 20 ms that it may keep
  });
}

std::span<const Scene> domain_scenes() {
  constexpr std::uint64_t kLeast = kRounds / 2;
  static const std::array kScenes = {
      Scene{"wsync_prev_idle", FTAP_SLOT_EXT_WSYNC_PREV_IDLE, [](const Look&) { hand_over({0}, {1, 2}); },
            kLeast},
      Scene{"wsync", FTAP_SLOT_EXT_WSYNC, [](const Look&) { hand_over({0}, {0, 2}); }, kLeast},
      Scene{"prev_idle", FTAP_SLOT_EXT_PREV_IDLE, [](const Look&) { wake_beside({}, {0, 1}); }, kLeast},
      Scene{"greedy_idle", FTAP_SLOT_EXT_GREEDY_IDLE,
            [](const Look&) { wake_beside({0, 1}, {0, 1, 2}, false); }, kLeast},
      Scene{"direct", FTAP_SLOT_EXT_DIRECT, [](const Look&) { kernel_threads(); }, kRounds * kDirector},
      Scene{"pinned", FTAP_SLOT_EXT_PINNED, [](const Look&) { wake_beside({}, {0}); }, kLeast},
      Scene{"direct_greedy", FTAP_SLOT_EXT_DIRECT_GREEDY,
            // The CPUs of the other node are idle, too.
            [](const Look&) { wake_beside({0, 1}, {0, 1, 2, 3, 4, 5, 6}); }, kLeast},
      Scene{"direct_greedy_far", FTAP_SLOT_EXT_DIRECT_GREEDY_FAR,
            [](const Look&) { wake_beside({0, 1}, {0, 1, 4}); }, kLeast},
      Scene{"dsq", FTAP_SLOT_EXT_DSQ, [](const Look&) { share(0, {0, 1}, {1}); }, kLeast},
      Scene{"greedy_local", FTAP_SLOT_EXT_GREEDY_LOCAL, [](const Look&) { share(0, {0, 2}, {2}); }, kLeast},
      Scene{"greedy_xnuma", FTAP_SLOT_EXT_GREEDY_XNUMA, [](const Look&) { share(0, {0, 4}, {4}); }, kLeast},
      Scene{"kick_greedy", FTAP_SLOT_KICK_GREEDY, [](const Look&) { share(0, {0, 2}, {}); }, kLeast},
      Scene{"repatriate", FTAP_SLOT_REPATRIATE, [](const Look&) { come_home(); }, kLeast},
      Scene{"load_balance", FTAP_SLOT_LOAD_BALANCE, crowd, 3}};
  return kScenes;
}

}  // namespace flowtap::test
