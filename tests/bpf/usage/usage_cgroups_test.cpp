// Cgroups that come and go while their usage is accounted for: the ledger, with the kernel's own events and numbers.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "kernel/dispatch/node_usage.hpp"
#include "telemetry/workloads/usage_ledger.hpp"
#include "tests/bpf/accounted.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using stats::CgroupEvent;
using stats::GroupUsage;
using telemetry::CgroupNaming;
using telemetry::UsageLedger;
using telemetry::WorkloadKind;

// A path is its workload's name; nothing looks for cgroups, so that everything is known from events only.
class Paths final : public telemetry::CgroupNames {
 public:
  [[nodiscard]] CgroupNaming name(std::uint64_t /*id*/, const std::string& path) override {
    return {
        .name = {.kind = WorkloadKind::kContainer, .ns = {}, .pod = {}, .container = path, .workload = {}},
        .complete = true,
        .top = path};
  }
  [[nodiscard]] Status walk(const std::function<void(std::uint64_t, std::string)>& /*see*/) override {
    return {};
  }
  [[nodiscard]] bool has_processes(const std::string& /*path*/) override { return false; }
};

class UsageOfCgroups : public testing::Test {
 protected:
  void start(std::uint32_t groups) {
    live_ = std::make_unique<kernel::DispatchLive>(attach_usage(groups));
    auto watch = kernel::CgroupWatch::start();
    ASSERT_TRUE(watch) << watch.error().what;
    source = std::make_unique<kernel::NodeUsage>(live_->usage().value(), std::move(*watch));
  }
  void round(std::chrono::milliseconds later = 0ms) {
    ahead_ += later;
    const Status done = ledger.round(*source, names, UsageLedger::Clock::now() + ahead_);
    EXPECT_TRUE(done) << done.error().what;
  }
  [[nodiscard]] GroupUsage of(const std::string& name) const {
    for (const auto& [known, workload] : ledger.workloads())
      if (known.container == name) return workload.usage;
    return {};
  }
  [[nodiscard]] bool is_numbered(std::uint64_t id) const {
    const auto all = source->numbered().value();
    return std::ranges::any_of(all, [id](const auto& one) { return one.id == id; });
  }

  std::unique_ptr<kernel::NodeUsage> source;
  Paths names;
  UsageLedger ledger{1h};

 private:
  std::unique_ptr<kernel::DispatchLive> live_;
  std::chrono::milliseconds ahead_{};
};

// The path for a name within the hierarchy, wherever that is mounted.
std::string path_of(const std::string& name) {
  return "/" + name;
}

// What the kernel has charged to a cgroup when its last process is off its CPU: on its way out a process still runs, after its
// parent has heard of its end.
std::uint64_t charged_at_the_end(const std::string& cgroup) {
  std::optional<std::uint64_t> charged;
  EXPECT_TRUE(eventually([&] {
    const std::optional<std::uint64_t> before = std::exchange(charged, charged_ns(cgroup));
    return charged == before;
  })) << "somebody still runs in "
      << cgroup;
  return *charged;
}

TEST_F(UsageOfCgroups, EventsTellWhoComesAndGoes) {
  start(64);
  (void)source->take_events([](const CgroupEvent&) {});
  std::uint64_t id = 0;
  {
    const ScratchCgroup cgroup("flowtap-events/inner");
    id = cgroup.id();
  }
  std::vector<CgroupEvent> events;
  EXPECT_TRUE(source->take_events([&](CgroupEvent event) { events.push_back(std::move(event)); }));
  std::vector<std::string> told;
  for (const CgroupEvent& event : events)
    if (event.path.starts_with("/flowtap-events")) told.push_back((event.gone ? "-" : "+") + event.path);
  EXPECT_EQ(told, (std::vector<std::string>{"+/flowtap-events", "+/flowtap-events/inner",
                                            "-/flowtap-events/inner", "-/flowtap-events"}));
  EXPECT_TRUE(std::ranges::any_of(events, [&](const CgroupEvent& e) { return e.id == id && !e.gone; }));
}

// There are more cgroups than numbers, each gone before the next round: what each used counts for its name, to the last
// nanosecond.
TEST_F(UsageOfCgroups, ThatLiveForMillisecondsIsNotLost) {
  constexpr int kRounds = 12;
  constexpr int kEach = 20;
  constexpr double kTick = 4e6;
  // An emulated CPU stands still while its host has other work. Where it does so between the kernel's look at the clock and ours,
  // a switch differs by all of that time.
  const double most = in_vm() ? 1.1 : 1.01;
  start(64);
  std::map<std::string, std::uint64_t> charged;
  for (int i = 0; i < kRounds; ++i) {
    for (int j = 0; j < kEach; ++j) {
      const std::string name = "flowtap-short-" + std::to_string(j % 5);
      const ScratchCgroup cgroup(name);
      spin_in(cgroup, 1ms);
      charged[name] += charged_at_the_end(cgroup.path());
    }
    round();
    round(UsageLedger::kGrace + 1s);
  }
  round(UsageLedger::kGrace + 1s);
  std::uint64_t ours = 0;
  std::uint64_t kernels = 0;
  for (const auto& [name, ns] : charged) {
    const GroupUsage used = of(path_of(name));
    std::printf("%s: the kernel charged %.3f ms, we counted %.3f ms\n", name.c_str(),
                static_cast<double>(ns) * 1e-6, static_cast<double>(used.run_ns) * 1e-6);
    // The kernel charges up to a tick at once, and charges it to the new cgroup where the tick comes while a task
    // moves; our account hears of the move a moment later.
    EXPECT_GE(static_cast<double>(used.run_ns), 0.95 * static_cast<double>(ns) - 2 * kTick) << name;
    EXPECT_LE(static_cast<double>(used.run_ns), most * static_cast<double>(ns) + kRounds * kEach * 20e3)
        << name;
    EXPECT_GT(used.dispatches, 0U) << name;  // most were given their CPU before they moved here
    ours += used.run_ns;
    kernels += ns;
  }
  std::printf("in all %.3f and %.3f ms\n", static_cast<double>(kernels) * 1e-6,
              static_cast<double>(ours) * 1e-6);
  EXPECT_GE(ours, static_cast<std::uint64_t>(kRounds * kEach) * 1'000'000U);
  // Only a small part of the sum is what ticks charge to the wrong side.
  EXPECT_GE(static_cast<double>(ours), 0.95 * static_cast<double>(kernels) - 2 * kTick);
}

// A thread that has its CPU to itself is not switched out: what it runs is still seen, and only once.
TEST_F(UsageOfCgroups, WhatRunsForLongIsSeenWhileItRuns) {
  start(64);
  const ScratchCgroup cgroup("flowtap-long");
  const pid_t child = ::fork();
  if (child == 0) {
    cgroup.join();
    const sched_param first{.sched_priority = 1};
    ::sched_setscheduler(0, SCHED_FIFO, &first);  // so that nobody takes the CPU from it
    spin(700ms);
    ::_exit(0);
  }
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(100ms);  // time itself: twice what nobody looks at, while it runs
    const std::uint64_t before = charged_ns(cgroup.path());
    round();
    const std::uint64_t after = charged_ns(cgroup.path());
    const std::uint64_t used = of(path_of("flowtap-long")).run_ns;
    std::printf("%.3f ms <= %.3f ms <= %.3f ms\n", static_cast<double>(before) * 1e-6,
                static_cast<double>(used) * 1e-6, static_cast<double>(after) * 1e-6);
    // The kernel brings its account up to date at its tick.
    EXPECT_GE(used + 10'000'000U, before);
    EXPECT_LE(used, after + 10'000'000U);
    EXPECT_GE(used, last);
    last = used;
  }
  ::waitpid(child, nullptr, 0);
  const std::uint64_t charged = charged_at_the_end(cgroup.path());
  round();
  EXPECT_LE(std::abs(static_cast<std::int64_t>(of(path_of("flowtap-long")).run_ns) -
                     static_cast<std::int64_t>(charged)),
            1'000'000);
}

TEST_F(UsageOfCgroups, WhoFoundNoNumberLooksAgainWhenThereAreSome) {
  start(2);
  const ScratchCgroup late("flowtap-late");
  std::uint64_t first = 0;
  {
    // If this cgroup comes first, whatever else runs here takes the other number.
    const ScratchCgroup early("flowtap-early");
    first = early.id();
    for (int i = 0; i < 2000 && source->numbered().value().size() < 2; ++i) spin_in(early, 1ms);
    if (!is_numbered(first)) GTEST_FAIL() << "others were faster: " << source->numbered().value().size();
    spin_in(late, 1ms);
    EXPECT_FALSE(is_numbered(late.id()));
    (void)charged_at_the_end(early.path());
    round();
  }
  round();
  round(UsageLedger::kGrace + 1s);
  EXPECT_FALSE(is_numbered(first));
  spin_in(late, 1ms);
  EXPECT_TRUE(is_numbered(late.id()));
  round();
  EXPECT_GE(of(path_of("flowtap-late")).run_ns, 1'000'000U);
}

}  // namespace
}  // namespace flowtap::test
