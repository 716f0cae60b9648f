// flowtapd after the kernel has ended its scheduler because something is wrong: it says so, counts it, tries again, and gives up.
// For virtual machines only.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "scheds/lib/keeper.hpp"
#include "tests/bpf/stage.hpp"
#include "tests/scheds/hang.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/scheds/starved.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/occurrences.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using scheds::Keeper;
using Clock = std::chrono::steady_clock;

constexpr const char* kName = "domain";
// The kernel lets a task wait for 30 s, and looks every 15 s.
constexpr auto kStallLimit = 120s;

class BadEnd : public testing::Test {
 protected:
  void SetUp() override {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    ASSERT_STREQ(std::getenv("FTAP_VM"), "1") << "vmtest/run runs this in a machine of its own";
    allow(0, {0});  // this is not where the hogs are
    if (!kernel::read_sched_ext("/sys")) return;
    daemon =
        std::make_unique<Daemon>(root, DaemonOptions{.flags = {"--scheduler", kName, "--cycle", "100ms"}});
    daemon->wait_ready();
  }

  [[nodiscard]] double sample(const std::string& family, const Labels& labels = {}) const {
    const auto page = daemon->scrape();
    const auto found = page.all.find(series_key(family, labels));
    return found == page.all.end() ? -1 : found->second;
  }
  [[nodiscard]] double exits(const std::string& kind) const {
    return sample("flowtap_scheduler_exits_total", {{"kind", kind}});
  }
  [[nodiscard]] Component component() const { return daemon->component("scheduler").value(); }
  [[nodiscard]] bool comes_up() const {
    return eventually([this] { return component().up; });
  }
  // What the log says of the end. The component may be down for a second only, in which a virtual machine may stand still.
  [[nodiscard]] std::string said_of_the_end(std::chrono::seconds limit = kPatience) const {
    const std::string begin = "scheduler: the kernel ended the scheduler ";
    EXPECT_TRUE(eventually([&] { return daemon->err().contains(begin); }, limit)) << daemon->err();
    const std::string log = daemon->err();
    const auto at = log.find(begin);
    if (at == std::string::npos) return {};
    const std::string said = log.substr(at, log.find('\n', at) - at).substr(begin.size());
    if (const Component now = component(); !now.up && now.detail.ends_with(said)) {
      EXPECT_EQ(now.hint, "until then, the kernel's own scheduler runs");
    }
    return said;
  }
  void expect_runs_again(double enables_before) const {
    EXPECT_TRUE(comes_up()) << daemon->err();
    EXPECT_TRUE(
        eventually([this] { return sample("flowtap_sched_ext_state", {{"state", "enabled"}}) == 1; }));
    EXPECT_EQ(sample("flowtap_sched_ext_state", {{"state", "disabled"}}), 0);
    EXPECT_EQ(sample("flowtap_sched_ext_info", {{"scheduler", kName}}), 1);
    EXPECT_EQ(sample("flowtap_sched_ext_enables_total"), enables_before + 1);
    EXPECT_EQ(kernel::sched_ext_scheduler("/sys"), kName);
    EXPECT_EQ(occurrences(daemon->err(), "scheduler: the scheduler domain runs again"), 1U) << daemon->err();
  }
  void expect_six_ends(const std::string& kind, std::chrono::seconds limit,
                       const std::function<void()>& provoke) const;
  void expect_given_up(const std::string& kind, double enables_before) const;
  void expect_a_reload_begins_anew(const std::string& kind) const;

  const ScratchRoot root;
  std::unique_ptr<Daemon> daemon;
};

TEST_F(BadEnd, AStallIsSaidAndAfterAPauseItRunsAgain) {
  if (refused_here()) return;
  const double enables = sample("flowtap_sched_ext_enables_total");
  EXPECT_EQ(exits("error_stall"), 0) << "each kind is there from the beginning";
  std::string said;
  {
    const Starved starved;
    said = said_of_the_end(kStallLimit);
  }
  EXPECT_TRUE(said.starts_with("domain (error_stall): runnable task stall: ")) << said;
  EXPECT_TRUE(said.contains("failed to run for")) << said;
  EXPECT_TRUE(said.contains("; next try in 1 s")) << said;
  expect_runs_again(enables);
  EXPECT_EQ(exits("error_stall"), 1);
}

TEST_F(BadEnd, AnErrorIsSaidAndAfterAPauseItRunsAgain) {
  if (refused_here()) return;
  const double enables = sample("flowtap_sched_ext_enables_total");
  const Hang hang;
  std::jthread hanging([&hang] { hang.hang(); });
  const std::string said = said_of_the_end();
  hanging.join();
  EXPECT_TRUE(said.starts_with("domain (error): runtime error: ")) << said;
  EXPECT_TRUE(said.contains("soft lockup")) << said;
  EXPECT_TRUE(said.contains("; next try in 1 s")) << said;
  expect_runs_again(enables);
  EXPECT_EQ(exits("error"), 1);
}

// `provoke` has it ended once more. Only the log is followed: when a scheduler starts, the kernel takes a CPU for idle that a hog
// has, so a thread of flowtapd may wait there for as long as the hog runs. The keeper's own test has the exact times.
void BadEnd::expect_six_ends(const std::string& kind, std::chrono::seconds limit,
                             const std::function<void()>& provoke) const {
  const auto said = [this](const std::string& what) { return occurrences(daemon->err(), what); };
  auto pause = Keeper::kFirstPause;
  for (unsigned ends = 1;; ++ends, pause *= 2) {
    provoke();
    ASSERT_TRUE(eventually([&] { return said("(" + kind + ")") == ends; }, limit)) << ends << daemon->err();
    const auto since = Clock::now();
    if (ends == Keeper::kMostFailures) break;
    EXPECT_EQ(said("; next try in " + std::to_string(pause.count()) + " s"), 1U) << daemon->err();
    ASSERT_TRUE(eventually([&] { return said("the scheduler domain runs again") == ends; })) << daemon->err();
    EXPECT_GE(Clock::now() - since, pause - 1s) << ends;
  }
  std::this_thread::sleep_for(pause + 2s);  // the next pause would be over by then
}

void BadEnd::expect_given_up(const std::string& kind, double enables_before) const {
  const Component last = component();
  EXPECT_FALSE(last.up);
  EXPECT_TRUE(last.detail.ends_with("; it ended 6 times and is not tried again")) << last.detail;
  EXPECT_TRUE(last.hint.contains("SIGHUP")) << last.hint;
  EXPECT_TRUE(daemon->err().contains("scheduler: " + last.detail)) << daemon->err();
  EXPECT_EQ(sample("flowtap_sched_ext_state", {{"state", "disabled"}}), 1);
  EXPECT_EQ(sample("flowtap_sched_ext_enables_total"), enables_before + Keeper::kMostFailures - 1);
  EXPECT_EQ(exits(kind), Keeper::kMostFailures);
}

void BadEnd::expect_a_reload_begins_anew(const std::string& kind) const {
  daemon->signal(SIGHUP);
  EXPECT_TRUE(comes_up()) << daemon->err();
  EXPECT_EQ(kernel::sched_ext_scheduler("/sys"), kName);
  EXPECT_EQ(exits(kind), Keeper::kMostFailures) << "counted over the reload";
}

TEST_F(BadEnd, SixBadEndsByErrorAreTheLastUntilAReload) {
  if (refused_here()) return;
  const double enables = sample("flowtap_sched_ext_enables_total");
  const Hang hang;
  expect_six_ends("error", kPatience, [&hang] { hang.hang(); });
  expect_given_up("error", enables);
  expect_a_reload_begins_anew("error");
}

TEST_F(BadEnd, SixBadEndsByStallAreTheLastUntilAReload) {
  if (refused_here()) return;
  const double enables = sample("flowtap_sched_ext_enables_total");
  {
    const Starved starved;
    expect_six_ends("error_stall", kStallLimit, [] {});
  }
  expect_given_up("error_stall", enables);
  expect_a_reload_begins_anew("error_stall");
}

}  // namespace
}  // namespace flowtap::test
