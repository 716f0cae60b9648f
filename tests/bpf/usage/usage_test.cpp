// What a cgroup's tasks used, by our account and by the kernel's own: equal.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/bpf/accounted.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

// There are two readings, each in whole microseconds.
constexpr std::int64_t kCut = 2000;

std::int64_t off(std::uint64_t charged, std::uint64_t used) {
  return std::abs(static_cast<std::int64_t>(charged) - static_cast<std::int64_t>(used));
}

struct Account {
  std::uint64_t charged = 0;  // by the kernel
  kernel::GroupUsage used;    // by us
};

class Usage : public testing::Test {
 protected:
  // The account of a crew that sleeps at both ends.
  [[nodiscard]] Account account(const Crew& crew) const {
    Account now{.charged = charged_ns(crew.cgroup_path()), .used = {}};
    if (const auto group = usage->group_of(crew.cgroup_id())) now.used = usage->read(*group);
    return now;
  }
  static void expect_equal(const Account& before, const Account& now) {
    const auto charged = static_cast<double>(now.charged - before.charged);
    const auto used = static_cast<double>(now.used.run_ns - before.used.run_ns);
    std::printf("the kernel charged %.6f ms, we counted %.6f ms, waited %.3f ms, %lu dispatches\n",
                charged * 1e-6, used * 1e-6,
                static_cast<double>(now.used.wait_ns - before.used.wait_ns) * 1e-6,
                now.used.dispatches - before.used.dispatches);
    EXPECT_LE(off(now.charged - before.charged, now.used.run_ns - before.used.run_ns), kCut);
  }
  void run(const Job& job) {
    Crew crew({[](Hands&) {}, job});
    crew.go();
    crew.finish();
    const kernel::DispatchLive live = attach_usage();
    usage.emplace(live.usage().value());
    (void)crew.quiesce();
    const Account before = account(crew);
    crew.go();
    crew.finish();
    switches = crew.quiesce();
    // Where a machine hides a switch from tracing, what a task ran up to its end becomes known when the kernel frees
    // it.
    (void)eventually(
        [&] {
          after = account(crew);
          return off(after.charged - before.charged, after.used.run_ns - before.used.run_ns) <= kCut;
        },
        5s);
    expect_equal(before, after);
  }

  std::optional<kernel::UsageReader> usage;
  SwitchCounts switches;
  Account after;
};

TEST_F(Usage, OfThreadsThatShareCpusIsWhatTheKernelCharged) {
  run([](Hands& hands) {
    for (int i = 0; i < 6; ++i) hands.thread([] { spin(200ms); });
    ping_pong(hands, 5000, {0}, {0});
    hands.wait();
  });
  EXPECT_GE(after.used.run_ns, 1'200'000'000U);
  EXPECT_GT(after.used.wait_ns, 0U) << "six on fewer CPUs";
}

// The second number of schedstat: the ns that a task was runnable and had no CPU, by the run queue's own clock.
std::uint64_t run_delay_ns(const Crew& crew) {
  std::uint64_t sum = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(crew.pid()) + "/task")) {
    std::ifstream schedstat(task.path() / "schedstat");
    std::uint64_t ran = 0;
    std::uint64_t waited = 0;
    schedstat >> ran >> waited;
    sum += waited;
  }
  return sum;
}

TEST_F(Usage, WaitingForACpuIsWhatTheRunQueueSays) {
  Crew crew({[](Hands&) {},
             [](Hands& hands) {
               const int cpu = online_cpus().front();
               for (int i = 0; i < 6; ++i)
                 hands.thread([cpu] {
                   pin_to({cpu});
                   spin(100ms);
                 });
               hands.wait();
             }});
  crew.go();
  crew.finish();
  const kernel::DispatchLive live = attach_usage();
  usage.emplace(live.usage().value());
  (void)crew.quiesce();
  const std::uint64_t waited_before = run_delay_ns(crew);
  const Account before = account(crew);
  crew.go();
  crew.finish();
  (void)crew.quiesce();
  const double waited = static_cast<double>(account(crew).used.wait_ns - before.used.wait_ns);
  const double by_kernel = static_cast<double>(run_delay_ns(crew) - waited_before);
  std::printf("the kernel says %.3f ms, we %.3f ms\n", by_kernel * 1e-6, waited * 1e-6);
  EXPECT_GT(by_kernel, 500e6);
  EXPECT_NEAR(waited / by_kernel, 1, 0.05) << "two clocks";
}

// A sampler of /proc sees hardly any of these.
TEST_F(Usage, OfTasksThatLiveForAMillisecondIsNotLost) {
  run([](Hands&) { fork_often(500); });
  EXPECT_GE(after.used.run_ns, 500'000'000U);
  EXPECT_GE(after.used.dispatches, 500U);
}

TEST_F(Usage, OfAnExecIsTheTasksOwn) {
  run([](Hands&) {
    for (int i = 0; i < 50; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::execl("/bin/true", "true", nullptr);
        ::_exit(1);
      }
      ::waitpid(child, nullptr, 0);
    }
  });
}

// What a thread runs from one switch to the next is charged to the cgroup where it was at the beginning; the kernel
// looks more closely. The sum is the same, to the last nanosecond.
TEST_F(Usage, OfThreadsThatAreMovedIsChargedWhereTheyRan) {
  constexpr int kThreads = 4;
  constexpr int kMoves = 20;
  const ScratchCgroup other("flowtap-usage-other");
  Crew crew({[](Hands&) {},
             [](Hands& hands) {
               for (int i = 0; i < kThreads; ++i)
                 hands.thread([] {
                   for (int turn = 0; turn < 300; ++turn) {
                     spin(1ms);
                     ::usleep(500);
                   }
                 });
               hands.wait();
             }});
  const kernel::DispatchLive live = attach_usage();
  usage.emplace(live.usage().value());
  crew.go();
  crew.finish();
  (void)crew.quiesce();
  const Account before = account(crew);
  const std::uint64_t other_before = charged_ns(other.path());
  crew.go();
  for (int move = 0; move < kMoves; ++move) {
    std::this_thread::sleep_for(30ms);
    std::ofstream((move % 2 == 0 ? other.path() : crew.cgroup_path()) + "/cgroup.procs")
        << crew.pid() << std::flush;
  }
  crew.finish();
  (void)crew.quiesce();
  const Account now = account(crew);
  const auto there = usage->read(usage->group_of(other.id()).value());
  const std::uint64_t here_charged = now.charged - before.charged;
  const std::uint64_t here_used = now.used.run_ns - before.used.run_ns;
  const std::uint64_t there_charged = charged_ns(other.path()) - other_before;
  std::printf("here %.3f of %.3f ms, there %.3f of %.3f ms\n", static_cast<double>(here_used) * 1e-6,
              static_cast<double>(here_charged) * 1e-6, static_cast<double>(there.run_ns) * 1e-6,
              static_cast<double>(there_charged) * 1e-6);
  EXPECT_LE(off(here_charged + there_charged, here_used + there.run_ns), 2 * kCut);
  constexpr std::int64_t kAtMost = std::chrono::nanoseconds(2ms).count() * kThreads * kMoves;
  EXPECT_LE(off(here_charged, here_used), kAtMost);
  EXPECT_LE(off(there_charged, there.run_ns), kAtMost);
  EXPECT_GT(there.run_ns, 0U);
}

TEST_F(Usage, CannotBeToldApartForMoreCgroupsThanThereAreNumbers) {
  auto opened = kernel::DispatchOpened::open(kernel::read_topology("/sys").value());
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->account_usage(FTAP_MOST_GROUPS + 1));
  EXPECT_FALSE(opened->account_usage(0));
}

TEST_F(Usage, OfMoreCgroupsThanThereIsRoomForIsInOneTogether) {
  Crew crew({[](Hands&) {}, [](Hands&) { spin(50ms); }});
  const kernel::DispatchLive live = attach_usage(1);
  usage.emplace(live.usage().value());
  // Somebody else has the only number, whoever that is.
  ASSERT_TRUE(eventually([&] { return usage->read(FTAP_GROUP_OTHER + 1).dispatches > 0; }));
  crew.go();
  crew.finish();
  (void)crew.quiesce();
  crew.go();
  crew.finish();
  (void)crew.quiesce();
  EXPECT_FALSE(usage->group_of(crew.cgroup_id()));
  EXPECT_GE(usage->read(FTAP_GROUP_OTHER).run_ns, 50'000'000U);
}

}  // namespace
}  // namespace flowtap::test
