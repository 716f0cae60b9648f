// flowtapd with a scheduler of ours. For virtual machines only, since it takes charge of all tasks that run there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "kernel/sched_ext.hpp"
#include "scheds/lib/keeper.hpp"
#include "scheds/names.hpp"
#include "stats/table.hpp"
#include "tests/node/daemon/dispatched.hpp"
#include "tests/node/daemon/switching.hpp"
#include "tests/scheds/ext_state.hpp"
#include "tests/scheds/ext_switches.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 3'000;

void end_by_sysrq() {
  std::ofstream("/proc/sysrq-trigger") << "S" << std::flush;
}

double of(const SeriesMap& series, const std::string& name, const Labels& labels = {}) {
  const auto found = series.find(series_key(name, labels));
  return found == series.end() ? -1 : found->second;
}

double sum_of_types(const SeriesMap& series, const std::string& scheduler, stats::CountedBy by) {
  double sum = 0;
  for (const stats::Stat& s : stats::slot_stats())
    if (s.family == stats::FamilyId::kDISPATCHED_TASKS && s.counted_by == by)
      sum += of(series, kDispatched, {{"scheduler", scheduler}, {"type", std::string(s.label.value())}});
  return sum;
}

void work() {
  Crew crew([](Hands& hands) { hand_to_and_fro(hands, kRounds); });
  crew.go();
  crew.finish();
  (void)crew.quiesce();
}

class Scheduler : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    ASSERT_STREQ(std::getenv("FTAP_VM"), "1") << "vmtest/run runs this in a machine of its own";
  }
  // On a kernel without sched_ext the service runs without that part, and says so.
  [[nodiscard]] bool said_to_be_missing() {
    if (kernel::read_sched_ext("/sys")) return false;
    Daemon daemon(root, options());
    daemon.wait_ready();
    const Component component = daemon.component("scheduler").value();
    EXPECT_FALSE(component.up);
    EXPECT_TRUE(component.detail.ends_with("has no sched_ext")) << component.detail;
    EXPECT_FALSE(component.hint.empty());
    return true;
  }
  [[nodiscard]] static std::string name() { return std::string(GetParam()); }
  [[nodiscard]] static DaemonOptions options() {
    return {.flags = {"--scheduler", name(), "--cycle", "100ms"}};
  }
  const ScratchRoot root;
};

TEST_P(Scheduler, AllTypesAreInPrometheusAndSumToEveryDispatch) {
  if (said_to_be_missing()) return;
  const ExtSwitches others;
  Daemon daemon(root, options());
  daemon.wait_ready();
  EXPECT_TRUE(daemon.component("scheduler").value().up);
  work();
  end_by_sysrq();
  ASSERT_TRUE(eventually([&] { return !daemon.component("scheduler").value().up; }));
  const auto page = daemon.scrape();
  const auto counted = others.read();
  unsigned types = 0;
  double sum = 0;
  for (const auto& [series, value] : page.all)
    if (series.starts_with(std::string(kDispatched) + "{scheduler=\"" + name() + "\"")) {
      std::printf("%s %.0f\n", series.c_str(), value);
      ++types;
      sum += value;
    }
  EXPECT_EQ(types, 12U) << "11 and what the kernel did unasked";
  EXPECT_EQ(sum, static_cast<double>(counted.switches));
  EXPECT_EQ(sum, sum_of_types(page.all, name(), stats::CountedBy::kScheduler))
      << "each of them is a row of scheds.def";
  EXPECT_GE(sum, kRounds);
  for (const char* extra : {"kick_greedy_total", "repatriate_total", "load_balance_total",
                            "task_errors_total", "dl_clamped_total", "dl_preset_total"})
    EXPECT_GE(of(page.all, extra), 0) << extra;
  EXPECT_GT(of(page.all, "flowtap_run_queue_latency_seconds_count", {{"scheduler", name()}}), 0);
}

TEST_P(Scheduler, WhoeverEndsItIsSaidAndNotContradicted) {
  if (said_to_be_missing()) return;
  Daemon daemon(root, options());
  daemon.wait_ready();
  EXPECT_EQ(ext_state(), "enabled");
  EXPECT_EQ(of(daemon.scrape().all, "flowtap_sched_ext_info", {{"scheduler", name()}}), 1);
  end_by_sysrq();
  ASSERT_TRUE(eventually(
      [&] { return of(daemon.scrape().all, "flowtap_scheduler_exits_total", {{"kind", "sysrq"}}) == 1; }));
  const Component component = daemon.component("scheduler").value();
  EXPECT_FALSE(component.up);
  EXPECT_TRUE(component.detail.contains("(sysrq)")) << component.detail;
  EXPECT_TRUE(component.detail.contains("not started again")) << component.detail;
  // Time itself: whoever would start it again does so after this pause, and a cycle later it would be told.
  std::this_thread::sleep_for(scheds::Keeper::kFirstPause);
  (void)daemon.settled_stats();
  EXPECT_EQ(ext_state(), "disabled");
  EXPECT_EQ(of(daemon.scrape().all, "flowtap_sched_ext_state", {{"state", "disabled"}}), 1);
  daemon.signal(SIGHUP);
  EXPECT_TRUE(eventually([] { return ext_state() == "enabled"; })) << daemon.err();
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(), 0);
  EXPECT_EQ(ext_state(), "disabled");
}

TEST_P(Scheduler, ASecondOneIsRefusedInASentenceAndAllElseRuns) {
  if (said_to_be_missing()) return;
  Daemon first(root, options());
  first.wait_ready();
  const ScratchRoot others;
  Daemon second(others, options());
  second.wait_ready();
  const Component component = second.component("scheduler").value();
  EXPECT_FALSE(component.up);
  EXPECT_EQ(component.detail, "the sched_ext scheduler '" + name() + "' already runs here");
  EXPECT_EQ(component.hint,
            "the kernel runs one at a time: end that one, then start this one again (flowtapd: SIGHUP)");
  EXPECT_EQ(of(second.scrape().all, "flowtap_sched_ext_info", {{"scheduler", name()}}), 1);
  EXPECT_TRUE(first.component("scheduler").value().up);
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 0);
  second.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return second.component("scheduler").value().up; })) << second.err();
  EXPECT_EQ(kernel::sched_ext_scheduler("/sys"), name());
}

TEST_P(Scheduler, KilledItLeavesTheMachineOnTheKernelsOwn) {
  if (said_to_be_missing()) return;
  Daemon daemon(root, options());
  daemon.wait_ready();
  ASSERT_EQ(ext_state(), "enabled");
  daemon.signal(SIGKILL);
  EXPECT_TRUE(eventually([] { return ext_state() == "disabled"; }));
  work();
}

TEST_P(Scheduler, ACpuThatGoesAndComesUnderLoadRestartsIt) {
  if (said_to_be_missing()) return;
  const ExtSwitches others;
  Daemon daemon(root, options());
  daemon.wait_ready();
  Crew crew([](Hands& hands) { hand_to_and_fro(hands, 20'000); });
  crew.go();
  for (const int online : {0, 1}) {
    const double before = of(daemon.scrape().all, "flowtap_scheduler_exits_total", {{"kind", "unreg_kern"}});
    std::ofstream("/sys/devices/system/cpu/cpu1/online") << online << std::flush;
    ASSERT_TRUE(eventually([&] {
      return of(daemon.scrape().all, "flowtap_scheduler_exits_total", {{"kind", "unreg_kern"}}) > before &&
             ext_state() == "enabled";
    })) << daemon.err();
    EXPECT_TRUE(daemon.component("scheduler").value().up);
  }
  crew.finish();
  (void)crew.quiesce();
  end_by_sysrq();
  ASSERT_TRUE(eventually([&] { return !daemon.component("scheduler").value().up; }));
  EXPECT_EQ(sum_of_types(daemon.scrape().all, name(), stats::CountedBy::kScheduler),
            static_cast<double>(others.read().switches))
      << "over three runs of the scheduler";
}

INSTANTIATE_TEST_SUITE_P(, Scheduler, testing::ValuesIn(scheds::kSchedulerNames),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace flowtap::test
