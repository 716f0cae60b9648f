// Usage told apart by v1's hierarchy with cpuacct, for tasks that are all in one v2 cgroup: what each cgroup used is
// what the kernel charged it with, and the events come only from that hierarchy.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "kernel/dispatch/node_usage.hpp"
#include "tests/bpf/accounted.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/containers/v1_hierarchy.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using stats::CgroupEvent;

// A switch brings the kernel's account and ours up to date. What a task has run since then the kernel charges to its
// new cgroup, if its tick comes during the move; in our account it stays with the old one.
void move_to(const ScratchCgroup& cgroup) {
  ::usleep(1000);
  cgroup.join();
}

// Works in a child that is in the cgroup before it begins, so that only its way there counts elsewhere.
pid_t begin_in(const ScratchCgroup& cgroup, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  move_to(cgroup);
  work();
  ::_exit(0);
}

class UsageOfV1 : public testing::Test {
 protected:
  [[nodiscard]] double used(const ScratchCgroup& cgroup) const {
    const auto group = usage.group_of(cgroup.id());
    return group ? static_cast<double>(usage.read(*group).run_ns) : 0;
  }
  // In v1 as in v2 the kernel's account of a cgroup includes the cgroups below it; `below` are those.
  void expect_equal(const char* load, const ScratchCgroup& cgroup,
                    const std::vector<const ScratchCgroup*>& below = {}) {
    double ours = 0;
    double kernels = 0;
    // What ended last is counted once the kernel has taken it off its CPU.
    (void)eventually(
        [&] {
          ours = used(cgroup);
          for (const ScratchCgroup* one : below) ours += used(*one);
          kernels = static_cast<double>(charged_ns_v1(cgroup.path()));
          return std::abs(ours - kernels) <= 0.01 * kernels;
        },
        5s);
    std::printf("%s: the kernel charged %.6f ms, we counted %.6f ms: %+.4f %%\n", load, kernels * 1e-6,
                ours * 1e-6, 100 * (ours - kernels) / kernels);
    EXPECT_GE(kernels, 400e6) << load;
    EXPECT_NEAR(ours, kernels, 0.01 * kernels) << load;
  }

  V1Hierarchy cpuacct{"cpuacct"};
  kernel::DispatchLive live = attach_usage(1024, nullptr, cpuacct.id());
  kernel::UsageReader usage = live.usage().value();
};

TEST_F(UsageOfV1, IsWhatTheKernelChargedEachCgroup) {
  const ScratchCgroup forks("flowtap-v1-forks", cpuacct.path());
  const ScratchCgroup busy("flowtap-v1-busy", cpuacct.path());
  const ScratchCgroup below("flowtap-v1-busy/below", cpuacct.path());
  const std::vector<pid_t> children{begin_in(forks, [] { fork_often(500); }),
                                    begin_in(busy, [] { spin(1s); }), begin_in(below, [] {
                                      std::vector<std::thread> all;
                                      for (int i = 0; i < 3; ++i) all.emplace_back([] { spin(400ms); });
                                      for (std::thread& one : all) one.join();
                                    })};
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  expect_equal("500 processes of a millisecond", forks);
  expect_equal("three threads", below);
  expect_equal("them and one above", busy, {&below});
}

TEST_F(UsageOfV1, FollowsATaskThatIsMovedThereAndStaysInItsCgroupOfV2) {
  const ScratchCgroup first("flowtap-v1-first", cpuacct.path());
  const ScratchCgroup second("flowtap-v1-second", cpuacct.path());
  const pid_t child = begin_in(first, [&] {
    spin(1s);
    move_to(second);
    spin(1s);
  });
  ::waitpid(child, nullptr, 0);
  expect_equal("before it moved", first);
  expect_equal("since then", second);
}

TEST_F(UsageOfV1, ACgroupOfV2IsNobodysThere) {
  const ScratchCgroup cgroup("flowtap-v2-beside");
  ::waitpid(begin_in(cgroup, [] { spin(50ms); }), nullptr, 0);
  // It may have the same number as a cgroup in v1's hierarchy.
  const auto group = usage.group_of(cgroup.id());
  EXPECT_LT(group ? usage.read(*group).run_ns : 0, 50'000'000U);
}

struct Told {
  std::vector<std::string> paths;  // of our cgroups that came (+), lost their last process (.), and went (-)
  std::set<std::uint64_t> with_an_end;  // cgroups
  std::set<std::uint64_t> with_a_beginning;
};
Told told(kernel::CgroupWatch& watch) {
  Told all;
  EXPECT_TRUE(watch.take([&](const CgroupEvent& event) {
    const char* what = event.gone ? "-" : event.empty ? "." : "+";
    if (event.path.starts_with("/flowtap-v")) all.paths.push_back(what + event.path);
    if (event.ended) all.with_an_end.insert(event.id);
    if (event.began) all.with_a_beginning.insert(event.id);
  }));
  return all;
}

// This is process 1 of a PID namespace, like a container's first one.
void run_container_in(const ScratchCgroup& cgroup) {
  const pid_t runtime = ::fork();
  if (runtime == 0) {
    if (::unshare(CLONE_NEWPID) != 0) ::_exit(1);
    ::waitpid(begin_in(cgroup, [] { ::execl("/bin/true", "true", nullptr); }), nullptr, 0);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(runtime, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(UsageOfV1, EventsAreThatHierarchysAlone) {
  auto v1 = kernel::CgroupWatch::start(cpuacct.id());
  ASSERT_TRUE(v1) << v1.error().what;
  auto v2 = kernel::CgroupWatch::start();
  ASSERT_TRUE(v2) << v2.error().what;
  (void)(*v1)->take([](const CgroupEvent&) {});
  (void)(*v2)->take([](const CgroupEvent&) {});
  std::uint64_t id = 0;
  {
    const ScratchCgroup of_v1("flowtap-v1-events/inner", cpuacct.path());
    const ScratchCgroup of_v2("flowtap-v2-events");
    id = of_v1.id();
    run_container_in(of_v1);
  }
  const Told by_v1 = told(**v1);
  const Told by_v2 = told(**v2);
  EXPECT_EQ(by_v1.paths, (std::vector<std::string>{"+/flowtap-v1-events", "+/flowtap-v1-events/inner",
                                                   "./flowtap-v1-events/inner", "./flowtap-v1-events",
                                                   "-/flowtap-v1-events/inner", "-/flowtap-v1-events"}));
  EXPECT_EQ(by_v2.paths, (std::vector<std::string>{"+/flowtap-v2-events", "-/flowtap-v2-events"}));
  EXPECT_TRUE(by_v1.with_a_beginning.contains(id)) << "its container's first program";
  EXPECT_TRUE(by_v1.with_an_end.contains(id)) << "the end of its container";
  EXPECT_FALSE(by_v2.with_a_beginning.contains(id)) << "a number of another hierarchy";
  EXPECT_FALSE(by_v2.with_an_end.empty()) << "it is told by v2, too, as the end of one in another cgroup";
}

}  // namespace
}  // namespace flowtap::test
