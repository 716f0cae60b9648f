// Order and fairness of scheds/domain, judged by shares and by turns, never by the time that passes.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clockid_t of a thread is POSIX's
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "scheds/schedulers.hpp"
#include "tests/scheds/chain.hpp"
#include "tests/scheds/ext_switches.hpp"
#include "tests/scheds/hog.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr double kWeightOfNice0 = 1024;  // sched_prio_to_weight of kernel/sched/core.c
constexpr double kWeightOfNice10 = 110;

// A task that ran while nobody waited had a slice of 20 ms. It lets everybody else have as much in slices of 5 ms
// before it runs again, which is 4 turns each. The bound is twice that, since a slice ends with a tick of the clock.
// With fifo everybody has one turn, and the bound is twice that, too.
unsigned long long rounds(std::string_view scheduler) {
  return scheduler == "fifo" ? 2 : 8;
}

double seconds(clockid_t clock) {
  timespec t{};
  EXPECT_EQ(::clock_gettime(clock, &t), 0);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Threads that always want to run, some of them nicer than others.
class Spinners {
 public:
  void add(int nice, const Cpus& cpus) {
    threads_.emplace_back([this, nice, cpus] {
      allow(0, cpus);
      EXPECT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), nice), 0);
      ++ready_;
      go_.wait(false);
      while (!stop_) relax();
    });
  }
  Spinners() = default;
  Spinners(const Spinners&) = delete;
  Spinners& operator=(const Spinners&) = delete;
  ~Spinners() {
    stop_ = true;
    go();
  }
  // All start at once: until then the thread that makes them has the machine for itself.
  void start() {
    EXPECT_TRUE(eventually([this] { return ready_ == static_cast<int>(threads_.size()); }));
    go();
  }
  // CPU time of each since it began.
  [[nodiscard]] std::vector<double> used() {
    std::vector<double> all;
    for (std::jthread& thread : threads_) {
      clockid_t clock = 0;
      EXPECT_EQ(::pthread_getcpuclockid(thread.native_handle(), &clock), 0);
      all.push_back(seconds(clock));
    }
    return all;
  }

 private:
  void go() {
    go_ = true;
    go_.notify_all();
  }

  std::atomic<bool> go_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<int> ready_ = 0;
  std::vector<std::jthread> threads_;
};

class Fairness : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (!kernel::read_sched_ext("/sys")) return;
    auto started = scheds::start_scheduler(GetParam(), {});
    ASSERT_TRUE(started) << started.error().what;
    scheduler = std::move(*started);
  }
  void TearDown() override {
    if (scheduler) {
      EXPECT_FALSE(scheduler->exited()) << scheduler->exited()->sentence;
    }
  }

  // The loader does this each second.
  void keep_for(std::chrono::seconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(1s);
      scheduler->look_around();
    }
  }

  std::unique_ptr<scheds::Scheduler> scheduler;
};

class Weights : public Fairness {};

TEST_P(Weights, OneToTenGiveCpuTimeOneToTenOverAMinute) {
  if (refused_here()) return;
  Spinners spinners;
  for (int i = 0; i < 2; ++i) {
    spinners.add(0, online_cpus());
    spinners.add(10, online_cpus());
  }
  spinners.start();
  const auto before = spinners.used();
  keep_for(60s);
  const auto after = spinners.used();
  double heavy = 0;
  double light = 0;
  for (std::size_t i = 0; i < after.size(); ++i) (i % 2 == 0 ? heavy : light) += after[i] - before[i];
  const double ratio = heavy / light;
  const double wanted = kWeightOfNice0 / kWeightOfNice10;
  std::printf("heavy %.2f s, light %.2f s: %.2f, wanted %.2f\n", heavy, light, ratio, wanted);
  EXPECT_GE(ratio, wanted * 0.85);
  EXPECT_LE(ratio, wanted * 1.15);
}

// Which of these gets more, whatever else runs.
void expect_order_of_a_mix(const std::function<void()>& run) {
  Spinners spinners;
  for (const int nice : {-10, -5, 0, 5, 10, 15}) spinners.add(nice, {0});
  spinners.start();
  const auto before = spinners.used();
  run();
  const auto after = spinners.used();
  for (std::size_t i = 0; i < after.size(); ++i) {
    std::printf("%.3f s\n", after[i] - before[i]);
    EXPECT_GT(after[i], before[i]) << "none starves";
    if (i > 0) {
      EXPECT_LT(1.5 * (after[i] - before[i]), after[i - 1] - before[i - 1])
          << i << ": three times its weight";
    }
  }
}

TEST_P(Weights, APriorityMixKeepsItsOrder) {
  if (refused_here()) return;
  expect_order_of_a_mix([this] { keep_for(20s); });
}

// A CPU of the same domain that has less to do does not set the pace.
TEST_P(Weights, APriorityMixKeepsItsOrderBesideAHogWithACpuOfItsOwn) {
  if (refused_here()) return;
  Spinners beside;
  beside.add(0, {1});
  beside.start();
  keep_for(5s);
  expect_order_of_a_mix([this] { keep_for(20s); });
}

TEST_P(Weights, OneToTenHoldsOnOneCpuBesideAHogWithACpuOfItsOwn) {
  if (refused_here()) return;
  for (const int nice : {0, 19}) {
    Spinners spinners;
    spinners.add(0, {0});
    spinners.add(10, {0});
    spinners.add(nice, {1});
    spinners.start();
    keep_for(5s);
    const auto before = spinners.used();
    keep_for(30s);
    const auto after = spinners.used();
    const double ratio = (after[0] - before[0]) / (after[1] - before[1]);
    const double wanted = kWeightOfNice0 / kWeightOfNice10;
    std::printf("beside nice %d: %.2f, wanted %.2f\n", nice, ratio, wanted);
    EXPECT_GE(ratio, wanted * 0.85) << nice;
    EXPECT_LE(ratio, wanted * 1.15) << nice;
  }
}

// Some wait in their CPU's queue and some in their domain's: a task that is far behind the others in one queue still
// gets its turn.
TEST_P(Weights, TheLightestIsServedWhereverItWaitsAndWhereverTheOthersDo) {
  if (refused_here()) return;
  const Cpus all = online_cpus();
  const Cpus last{all.back()};
  for (const bool bound : {true, false}) {
    Spinners spinners;
    for (const int cpu : all) spinners.add(0, bound ? all : Cpus{cpu});
    spinners.add(0, all);
    spinners.add(19, bound ? last : all);
    spinners.start();
    keep_for(2s);
    const auto before = spinners.used();
    keep_for(15s);
    const double ran = spinners.used().back() - before.back();
    std::printf("the lightest, %s: %.3f s\n", bound ? "bound" : "free", ran);
    EXPECT_GE(ran, 0.05) << bound;  // 15 of 1024 against 1024, for each CPU, are 0.14 s at least
    EXPECT_LE(ran, 1.5) << bound;
  }
}

// This is for a machine with more CPUs below one cache, like that of vmtest/run --topology wide.
TEST_P(Weights, InACpusetTheHeavierHaveMoreBesideAHogWithACpuOfItsOwn) {
  if (refused_here()) return;
  ASSERT_GE(online_cpus().size(), 4U) << "vmtest/run --topology wide";
  Spinners spinners;
  for (int i = 0; i < 4; ++i) {
    spinners.add(0, {0, 1});
    spinners.add(10, {0, 1});
  }
  spinners.add(0, {2});
  spinners.start();
  keep_for(5s);
  const auto before = spinners.used();
  keep_for(30s);
  const auto after = spinners.used();
  double heavy = 0;
  double light = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    std::printf("%.2f s\n", after[i] - before[i]);
    EXPECT_GT(after[i], before[i]) << i;
    (i % 2 == 0 ? heavy : light) += after[i] - before[i];
  }
  std::printf("heavy %.2f s, light %.2f s: %.2f\n", heavy, light, heavy / light);
  const double wanted = kWeightOfNice0 / kWeightOfNice10;
  EXPECT_GE(heavy / light, wanted * 0.75) << "less exact, as its tasks move between the CPUs of the set";
  EXPECT_LE(heavy / light, wanted * 1.25);
}

TEST_P(Fairness, EachOfManyTasksRunsAgainWithinABoundedNumberOfSlices) {
  if (refused_here()) return;
  constexpr unsigned kTasks = 200;
  const ExtSwitches
      switches;  // made before the crowd: the kernel waits for each task when it attaches programs
  Spinners spinners;
  for (unsigned i = 0; i < kTasks; ++i) spinners.add(0, online_cpus());
  spinners.start();
  switches.watch(::getpid());
  const auto before = spinners.used();
  // There are so many that a task which is left out waits for longer than the bound.
  const auto most = rounds(GetParam()) * kTasks;
  for (int i = 0; i < 12 && switches.read().watched_switches < 4 * most; ++i) keep_for(10s);
  const auto after = spinners.used();
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_GT(after[i], before[i]) << i << " did not run at all";
  const auto turns = switches.read().watched_switches;
  const auto longest = switches.longest_wait();
  std::printf("%llu turns of %u tasks, the longest wait is %llu turns\n", turns, kTasks, longest);
  EXPECT_GE(turns, 4 * most) << "too few to tell";
  EXPECT_LE(longest, most);
}

TEST_P(Fairness, APinnedHogStarvesNobody) {
  if (refused_here()) return;
  const ExtSwitches switches;
  std::vector<std::unique_ptr<Hog>> hogs;
  for (const int cpu : online_cpus()) {
    hogs.push_back(std::make_unique<Hog>(Cpus{cpu}));
    hogs.back()->hold();
  }
  Spinners spinners;
  constexpr unsigned kOthers = 6;
  for (unsigned i = 0; i < kOthers; ++i) spinners.add(0, online_cpus());
  spinners.start();
  switches.watch(::getpid());
  const auto before = spinners.used();
  keep_for(10s);
  const auto after = spinners.used();
  const auto turns = switches.read().watched_switches;
  const auto longest = switches.longest_wait();
  const auto most = 8 * (kOthers + hogs.size());
  std::printf("%llu turns, the longest wait is %llu turns\n", turns, longest);
  EXPECT_GE(turns, 4 * most) << "too few to tell";
  EXPECT_LE(longest, most);
  const double fair = 10.0 * static_cast<double>(hogs.size()) / static_cast<double>(kOthers + hogs.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_GT(after[i] - before[i], fair / 2) << i;
}

// A queue that many share is behind the clock of its domain: a task that comes to the same CPU later does not wait
// until the queue has caught up.
TEST_P(Fairness, WhoComesLateToAFullCpuIsServedSoon) {
  if (refused_here()) return;
  const ExtSwitches switches;
  Spinners crowd;
  for (int i = 0; i < 3; ++i) crowd.add(0, {0});
  crowd.add(0, {1});
  crowd.start();
  keep_for(20s);
  switches.watch(::getpid());
  Spinners late;
  late.add(0, {0});
  late.start();
  const auto before = late.used();
  keep_for(4s);
  const double ran = late.used().front() - before.front();
  std::printf("%.2f s of 4 s on a CPU for four\n", ran);
  EXPECT_GT(ran, 0.5);
}

// These need a machine with one CPU, as an emulator gives each of several virtual CPUs its time in pieces that are
// longer than a slice. vmtest/run --topology single makes one that really has one: taking the second CPU offline once
// hung the kernel in its hotplug lock.
class OneCpu : public Fairness {};

TEST_P(OneCpu, WhoForksAndEndsAgainAndAgainDoesNotStarveWhoRunsOn) {
  if (refused_here()) return;
  ASSERT_EQ(online_cpus().size(), 1U) << "vmtest/run --topology single";
  Spinners task;
  task.add(0, online_cpus());
  task.start();
  const std::array<Chain, 2> chains;
  keep_for(1s);
  const auto links = [&] {
    unsigned long sum = 0;
    for (const Chain& chain : chains) sum += chain.links();
    return sum;
  };
  const auto made = links();
  const double before = task.used().front();
  const double all_before = seconds(CLOCK_PROCESS_CPUTIME_ID);
  keep_for(8s);
  const double ran = task.used().front() - before;
  // Its own and the chains'. A busy machine gives the rest of the time to the kernel's threads.
  const double share = ran / (seconds(CLOCK_PROCESS_CPUTIME_ID) - all_before);
  std::printf("%.2f s of 8 s, %.3f of what all had, beside %lu forks\n", ran, share, links() - made);
  EXPECT_GE(links() - made, 100U) << "they do not starve either";
  // On a busy machine a fork takes a whole turn, so that it has no more than its part. Without the lead of forks it had 0.26.
  EXPECT_GT(share, 0.85 / 3) << "a CPU for three";
  if (GetParam() == "domain") {
    EXPECT_LT(share, 0.6) << "nor is who forks put off: it pays for what it costs";
  }
}

const auto kName = [](const auto& test) { return std::string(test.param); };
INSTANTIATE_TEST_SUITE_P(, Fairness, testing::ValuesIn(scheds::kSchedulerNames), kName);
INSTANTIATE_TEST_SUITE_P(, OneCpu, testing::ValuesIn(scheds::kSchedulerNames), kName);
INSTANTIATE_TEST_SUITE_P(, Weights, testing::Values("domain"), kName);  // fifo knows no weights

}  // namespace
}  // namespace flowtap::test
