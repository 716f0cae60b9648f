// Tasks that wait although there is a CPU for them, on a machine with idle CPUs like that of vmtest/run --topology
// numa-llc.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clockid_t of a thread is POSIX's
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "scheds/schedulers.hpp"
#include "tests/bpf/stage.hpp"
#include "tests/scheds/hog.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

// CPU time of a thread of this process since it began.
double used(std::jthread& thread) {
  clockid_t clock = 0;
  timespec t{};
  EXPECT_EQ(::pthread_getcpuclockid(thread.native_handle(), &clock), 0);
  EXPECT_EQ(::clock_gettime(clock, &t), 0);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Hands a byte to and fro with another thread through pipes, so that its wake-ups are synchronous, until there is no
// byte.
class Pair {
 public:
  explicit Pair(const Cpus& cpus) : cpus_(cpus) {
    EXPECT_EQ(::pipe(there_.data()), 0);
    EXPECT_EQ(::pipe(back_.data()), 0);
    one_ = std::jthread([this] { play(there_[0], back_[1]); });
    two_ = std::jthread([this] { play(back_[0], there_[1]); });
    const char byte = 'x';
    EXPECT_EQ(::write(there_[1], &byte, 1), 1);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { stop_ = true; }

  [[nodiscard]] double used_by_both() { return used(one_) + used(two_); }
  [[nodiscard]] unsigned long hand_overs() const { return hand_overs_; }

 private:
  // The first one to stop wakes the other, which then stops as well.
  void play(int from, int to) {
    allow(0, cpus_);
    for (char byte = 0; ::read(from, &byte, 1) == 1;) {
      ++hand_overs_;
      const bool last = stop_;
      if (::write(to, &byte, 1) != 1 || last) return;
    }
  }

  Cpus cpus_;
  std::array<int, 2> there_{};
  std::array<int, 2> back_{};
  std::atomic<bool> stop_ = false;
  std::atomic<unsigned long> hand_overs_ = 0;
  std::jthread one_;
  std::jthread two_;
};

// A hog whose CPU is changed by the director, who is on none of these CPUs.
class FifoHog {
 public:
  explicit FifoHog(int cpu) {
    thread_ = std::jthread([this, cpu](const std::stop_token& stop) {
      allow(0, {cpu});  // this comes first, as the director would never come back to its own
      rank(0, kHog);
      tid_ = static_cast<pid_t>(::syscall(SYS_gettid));
      while (!stop.stop_requested()) relax();
    });
    EXPECT_TRUE(eventually([this] { return tid_ != 0; }));
  }
  void take(int cpu) const { allow(tid_, {cpu}); }
  [[nodiscard]] double used() { return test::used(thread_); }

 private:
  std::atomic<pid_t> tid_ = 0;
  std::jthread thread_;
};

class Starving : public testing::TestWithParam<std::string_view> {
 protected:
  // Goes on for this many seconds, and does what the loader does meanwhile.
  void go_on(int seconds, bool looks_around) {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
         std::chrono::steady_clock::now() < end;) {
      std::this_thread::sleep_for(700ms);
      if (looks_around) scheduler_->look_around();
    }
  }
  void SetUp() override {
    if (!kernel::read_sched_ext("/sys")) return;
    ASSERT_EQ(::sysconf(_SC_NPROCESSORS_ONLN), kDirector + 1) << "vmtest/run --topology numa-llc";
    no_throttling();
    allow(0, {kDirector});
    auto started = scheds::start_scheduler(GetParam(), {});
    ASSERT_TRUE(started) << started.error().what;
    scheduler_ = std::move(*started);
  }
  void TearDown() override {
    if (scheduler_) {
      EXPECT_FALSE(scheduler_->exited()) << scheduler_->exited()->sentence;
    }
  }

 private:
  std::unique_ptr<scheds::Scheduler> scheduler_;
};

// This is on CPU 2, because the kernel's own threads, which take a CPU from everybody, run on CPU 0 most of the time.
TEST_P(Starving, TwoThatWakeEachOtherDoNotStarveWhoIsBoundToTheirCpu) {
  if (refused_here()) return;
  const FifoHog hog(3);
  Pair pair({2, 3});
  std::atomic<bool> stop = false;
  std::atomic<unsigned long> longest_wait = 0;
  std::jthread bound([&] {
    allow(0, {2});
    for (unsigned long last = pair.hand_overs(); !stop; relax()) {
      const unsigned long now = pair.hand_overs();
      longest_wait = std::max(longest_wait.load(), now - last);
      last = now;
    }
  });
  // Time itself, here and below: whoever starves does so for seconds, and shares of a CPU are told apart only over some.
  std::this_thread::sleep_for(1s);
  longest_wait = 0;
  const double bound_before = used(bound);
  const double pair_before = pair.used_by_both();
  const unsigned long before = pair.hand_overs();
  std::this_thread::sleep_for(8s);
  const double by_bound = used(bound) - bound_before;
  const double by_pair = pair.used_by_both() - pair_before;
  const unsigned long hand_overs = pair.hand_overs() - before;
  stop = true;
  std::printf("bound %.2f s, the pair %.2f s in %lu hand-overs; it waited for %lu of them at most\n",
              by_bound, by_pair, hand_overs, longest_wait.load());
  EXPECT_GE(by_bound, 0.25 * (by_bound + by_pair)) << "of a CPU that it shares with no more than two";
  EXPECT_LE(longest_wait, 20'000U)
      << "a few thousand are what it and they may run before it is the next one's turn";
  EXPECT_GE(hand_overs, 100U) << "and they do not starve either";
}

TEST_P(Starving, WhoMayRunElsewhereDoesNotWaitForATaskOfAHigherClass) {
  if (refused_here()) return;
  std::atomic<bool> stop = false;
  std::atomic<int> at = -1;
  std::jthread task([&] {
    allow(0, {0, 1, 2});
    while (!stop) at = ::sched_getcpu();
  });
  ASSERT_TRUE(eventually([&at] { return at >= 0; }));
  FifoHog hog(3);
  const double before = used(task);
  const double hog_before = hog.used();
  for (int i = 0; i < 10; ++i) {
    hog.take(at);  // in the middle of the task's slice
    std::this_thread::sleep_for(400ms);
  }
  const double by_task = used(task) - before;
  const double by_hog = hog.used() - hog_before;
  stop = true;
  std::printf("the task %.2f s, the hog %.2f s\n", by_task, by_hog);
  EXPECT_GE(by_task, 0.75 * by_hog);
}

// A higher class has all CPUs of its domain, and on every other CPU there is a task that never sleeps.
TEST_P(Starving, WhoseDomainIsTakenRunsOnTheBusyCpusOfOthers) {
  if (refused_here() || GetParam() != "domain") return;
  // Kernels >= 7 reserve a part of each CPU for sched_ext against tasks of higher classes.
  for (const int cpu : {2, 3})
    std::ofstream("/sys/kernel/debug/sched/ext_server/cpu" + std::to_string(cpu) + "/runtime")
        << 0 << std::flush;
  std::atomic<bool> stop = false;
  std::atomic<bool> free = false;
  std::atomic<int> at = -1;
  std::jthread task([&] {
    allow(0, {2});
    for (bool freed = false; !stop; relax()) {
      at = ::sched_getcpu();
      if (free && !freed) allow(0, {0, 1, 2, 3, 4, 5, 6, 7}), freed = true;
    }
  });
  EXPECT_TRUE(eventually([&at] { return at == 2; }));
  std::vector<std::jthread> hogs;
  for (const int cpu : {0, 1, 4, 5, 6, 7})
    hogs.emplace_back([cpu](const std::stop_token& stopped) {
      allow(0, {cpu});
      while (!stopped.stop_requested()) relax();
    });
  free = true;
  std::this_thread::sleep_for(500ms);
  const FifoHog one(3);
  const FifoHog two(2);
  std::this_thread::sleep_for(1s);
  const double before = used(task);
  std::this_thread::sleep_for(6s);
  const double by_task = used(task) - before;
  stop = true;
  std::printf("the task had %.2f s of 6\n", by_task);
  EXPECT_GE(by_task, 1) << "it shares a CPU with one other";
}

// All are at home in one domain of one node: whoever was pulled away has a CPU to himself, the others share two, until
// load moves.
TEST_P(Starving, LoadIsMovedOverBothNodesUntilNobodyHasMuchLessThanOthers) {
  if (refused_here() || GetParam() != "domain") return;
  constexpr double kMoved = 0.72;  // of the domains two have one task more than their part at most
  std::atomic<bool> stop = false;
  std::vector<std::jthread> tasks;
  for (int i = 0; i < 12; ++i)
    tasks.emplace_back([&stop] {
      allow(0, {0});
      std::this_thread::sleep_for(10ms);
      allow(0, {0, 1, 2, 3, 4, 5, 6, 7});
      while (!stop) relax();
    });
  std::this_thread::sleep_for(1s);
  const auto least_share = [&](bool balanced) {  // of the mean
    std::vector<double> had;
    for (std::jthread& task : tasks) had.push_back(-used(task));
    go_on(6, balanced);
    for (std::size_t i = 0; i < tasks.size(); ++i) had[i] += used(tasks[i]);
    return *std::ranges::min_element(had) * static_cast<double>(had.size()) /
           std::accumulate(had.begin(), had.end(), 0.0);
  };
  const double before = least_share(false);
  // On a busy machine other work decides about a single part of the time, so that some more parts are looked at.
  double after = 0;
  for (int parts = 0; parts < 10 && after < kMoved; ++parts) after = least_share(true);
  stop = true;
  std::printf("who has least has %.2f of the mean, and once load has moved %.2f\n", before, after);
  EXPECT_TRUE(after > before || before >= kMoved) << "on a busy machine load may have moved before";
  EXPECT_GE(after, kMoved);
}

// Writing to a pipe announces that the writer is about to sleep, which this one does not do.
TEST_P(Starving, WhoIsWokenByATaskOfAHigherClassDoesNotWaitBehindIt) {
  if (refused_here()) return;
  // Kernels >= 7 reserve a part of each CPU for sched_ext against tasks of higher classes.
  std::ofstream("/sys/kernel/debug/sched/ext_server/cpu3/runtime") << 0 << std::flush;
  constexpr int kTurns = 5;
  Hog held({0});
  held.hold();
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  std::atomic<pid_t> reader_id = 0;
  std::atomic<int> seen = 0;
  const std::jthread reader([&] {
    allow(0, {0});
    reader_id = static_cast<pid_t>(::syscall(SYS_gettid));
    allow(0, {0, 3});
    for (char byte = 0; ::read(pipe[0], &byte, 1) == 1 && ++seen < kTurns;) {
      allow(0, {0});
      allow(0, {0, 3});
    }
  });
  std::chrono::duration<double> longest{0};
  std::jthread([&] {
    allow(0, {3});
    rank(0, kHog);
    for (int turn = 1; turn <= kTurns; ++turn) {
      EXPECT_TRUE(eventually([&reader_id] { return reader_id != 0 && asleep(reader_id); }));
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(::write(pipe[1], "x", 1), 1);
      while (seen < turn && std::chrono::steady_clock::now() - begin < 3s) relax();
      longest = std::max<std::chrono::duration<double>>(longest, std::chrono::steady_clock::now() - begin);
    }
  }).join();
  std::printf("%.3f s at the longest\n", longest.count());
  EXPECT_LT(longest, 2s);
}

INSTANTIATE_TEST_SUITE_P(, Starving, testing::ValuesIn(scheds::kSchedulerNames),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace flowtap::test
