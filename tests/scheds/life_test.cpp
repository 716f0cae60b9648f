// Beginning and end of our schedulers: whatever ends one, the machine goes on under the kernel's own.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX's
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "kernel/sched_ext.hpp"
#include "scheds/schedulers.hpp"
#include "tests/scheds/ext_state.hpp"
#include "tests/scheds/hog.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/scheds/starved.hpp"
#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/scratch_root.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

// The niceness of tasks that keep all CPUs and leave time for the rest of a start.
constexpr int kLast = 19;

class Life : public testing::TestWithParam<std::string_view> {
 protected:
  [[nodiscard]] static std::unique_ptr<scheds::Scheduler> start(const scheds::StartOptions& options = {}) {
    auto started = scheds::start_scheduler(GetParam(), options);
    EXPECT_TRUE(started) << started.error().what;
    return started ? std::move(*started) : nullptr;
  }
};

TEST_P(Life, LoadedAndUnloadedTwentyTimesUnderLoad) {
  if (refused_here()) return;
  std::vector<std::unique_ptr<Hog>> hogs;
  for (std::size_t i = 0; i < 3; ++i) {
    hogs.push_back(std::make_unique<Hog>(online_cpus(), kLast));
    hogs.back()->hold();
  }
  for (int i = 0; i < 20; ++i) {
    const auto scheduler = start();
    ASSERT_TRUE(scheduler) << i;
    EXPECT_EQ(ext_state(), "enabled");
    EXPECT_EQ(kernel::sched_ext_scheduler("/sys"), GetParam());
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(scheduler->exited());
  }
  EXPECT_EQ(ext_state(), "disabled");
}

// The kernel moves one task after the other to the scheduler. Those that it has not come to yet must not keep it from going on.
TEST_P(Life, ItStartsWhereOrdinaryTasksKeepAllCpus) {
  if (refused_here()) return;
  constexpr std::size_t kSleepers =
      1000;  // they come first, so that several ticks pass before the last are moved
  std::atomic<bool> over = false;
  std::vector<std::jthread> sleepers;
  const auto end = [&over](void*) {
    over = true;
    over.notify_all();
  };
  const std::unique_ptr<void, decltype(end)> ended(&over, end);  // before they are joined, whatever fails
  for (std::size_t i = 0; i < kSleepers; ++i) sleepers.emplace_back([&over] { over.wait(false); });
  std::vector<std::unique_ptr<Hog>> hogs;
  for (std::size_t i = 0; i < 4; ++i) {
    hogs.push_back(std::make_unique<Hog>(online_cpus(), kLast));
    hogs.back()->hold();
  }
  const auto scheduler = start();
  hogs.clear();
  ASSERT_TRUE(scheduler);
  EXPECT_EQ(ext_state(), "enabled");
  EXPECT_FALSE(scheduler->exited());
}

TEST_P(Life, ASecondOneGetsOneClearSentence) {
  if (refused_here()) return;
  const auto first = start();
  ASSERT_TRUE(first);
  for (const std::string_view name : scheds::kSchedulerNames) {
    const auto second = scheds::start_scheduler(name, {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().what,
              "the sched_ext scheduler '" + std::string(GetParam()) + "' already runs here");
    EXPECT_EQ(second.error().hint,
              "the kernel runs one at a time: end that one, then start this one again (flowtapd: SIGHUP)");
  }
  EXPECT_FALSE(first->exited()) << "the first one does not mind";
}

TEST_P(Life, SysRqEndsItAndIsSaid) {
  if (refused_here()) return;
  const auto scheduler = start();
  ASSERT_TRUE(scheduler);
  std::ofstream("/proc/sysrq-trigger") << "S" << std::flush;
  ASSERT_TRUE(eventually([&] { return scheduler->exited().has_value(); }));
  EXPECT_EQ(scheduler->exited()->kind, "sysrq");
  EXPECT_TRUE(scheduler->exited()->wanted);
  EXPECT_TRUE(eventually([] { return ext_state() == "disabled"; })) << "the reason is told a moment before";
}

TEST_P(Life, ATaskThatIsNeverReachedIsSaidAndTheMachineLives) {
  if (refused_here()) return;
  // Most of this test is that wait, and up to half as long again: the kernel looks twice in it.
  const auto scheduler = start({.longest_wait = 8s});
  ASSERT_TRUE(scheduler);
  auto starved = std::make_unique<Starved>();
  (void)eventually([&scheduler] { return scheduler->exited().has_value(); }, 120s);
  const auto exit = scheduler->exited();
  starved.reset();
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->kind, "error_stall");
  EXPECT_TRUE(exit->sentence.starts_with("runnable task stall: ")) << exit->sentence;
  EXPECT_TRUE(exit->sentence.contains("failed to run for")) << exit->sentence;
  EXPECT_TRUE(eventually([] { return ext_state() == "disabled"; })) << "the reason is told a moment before";
}

class Program : public Life {
 protected:
  [[nodiscard]] static Command flowtap_sched(const ScratchRoot& root, std::vector<std::string> words) {
    words.insert(words.begin(), paths::flowtap_sched());
    return {.argv = std::move(words), .out = root.file("out"), .err = root.file("err")};
  }
  const ScratchRoot root;
};

TEST_P(Program, KilledItLeavesTheMachineOnTheKernelsOwn) {
  if (refused_here()) return;
  const Process process(flowtap_sched(root, {std::string(GetParam())}));
  ASSERT_TRUE(eventually([] { return ext_state() == "enabled"; })) << root.read("err");
  process.signal(SIGKILL);
  EXPECT_TRUE(eventually([] { return ext_state() == "disabled"; }));
}

TEST_P(Program, EndsAtASignalAndShowsItsTable) {
  if (refused_here()) return;
  Process process(flowtap_sched(root, {std::string(GetParam()), "--report"}));
  ASSERT_TRUE(eventually([&] { return root.read("out").contains("total"); })) << root.read("err");
  EXPECT_TRUE(root.read("out").contains(GetParam()));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(ext_state(), "disabled");
}

TEST_P(Program, ASecondOneIsRefused) {
  if (refused_here()) return;
  Process first(flowtap_sched(root, {std::string(GetParam())}));
  ASSERT_TRUE(eventually([] { return ext_state() == "enabled"; })) << root.read("err");
  const ScratchRoot other;
  Process second(flowtap_sched(other, {"fifo"}));
  EXPECT_EQ(second.wait(), 1);
  EXPECT_TRUE(other.read("err").contains("already runs here")) << other.read("err");
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 0);
}

TEST_P(Program, WhoMayNotGoAheadOfOthersStartsNone) {
  if (refused_here()) return;
  Command command = flowtap_sched(root, {std::string(GetParam())});
  command.before_exec = [] {
    if (::prctl(PR_CAPBSET_DROP, CAP_SYS_NICE) != 0) ::_exit(126);
  };
  Process process(command);
  EXPECT_EQ(process.wait(), 1);
  EXPECT_TRUE(root.read("err").contains("ahead of other tasks")) << root.read("err");
  EXPECT_TRUE(root.read("err").contains("CAP_SYS_NICE")) << root.read("err");
  EXPECT_EQ(ext_state(), "disabled");
}

const auto kName = [](const auto& test) { return std::string(test.param); };
INSTANTIATE_TEST_SUITE_P(, Life, testing::ValuesIn(scheds::kSchedulerNames), kName);
INSTANTIATE_TEST_SUITE_P(, Program, testing::ValuesIn(scheds::kSchedulerNames), kName);

}  // namespace
}  // namespace flowtap::test
