// A container in a container, as the node sees it: what the inner one uses counts for the outer one, and once, in each account.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "identity/flow_id.hpp"
#include "telemetry/cgroup_names.hpp"
#include "tests/node/telemetry/collected_workloads.hpp"
#include "tests/support/containers/cgroup.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using stats::StatId;

TEST(NestedContainers, WhatTheInnerOneUsesIsTheOuterOnesOnce) {
  const std::string inner_id(64, 'b');
  const std::string outer_path = "docker/" + std::string(64, 'a');
  auto named = std::make_shared<NamedContainers>();
  const auto hierarchy = identity::choose_hierarchy("/", identity::kHierarchyOfV2);
  ASSERT_TRUE(hierarchy) << hierarchy.error().what;
  auto names = CgroupIdentities::open("/", *hierarchy, {}, named);
  ASSERT_TRUE(names) << names.error().what;
  CollectedWorkloads workloads(std::move(*names));
  identity::ContainerIdentity who;
  who.container_id = std::string(64, 'a');
  who.container_name = "flowtap-outer";
  double charged = 0;
  {
    const ScratchCgroup outer(outer_path);
    const ScratchCgroup inner(outer_path + "/docker/" + inner_id);
    named->note(outer.id(), who);
    named->note(inner.id(), who);
    spin_in(outer, 100ms);
    spin_in(inner, 200ms);
    std::this_thread::sleep_for(removal());
    EXPECT_GE(charged_ns(inner.path()), 200'000'000U);
    // This includes all that is below it.
    charged = static_cast<double>(charged_ns(outer.path())) * 1e-9;
  }
  workloads.collect();
  const double counted = workloads.sum(StatId::kWORKLOAD_CPU, "flowtap-outer");
  const double files = workloads.sum(StatId::kWORKLOAD_CPU_USER, "flowtap-outer") +
                       workloads.sum(StatId::kWORKLOAD_CPU_SYSTEM, "flowtap-outer");
  fmt::print("the kernel charged both with {:.6f} s; counted {:.6f} s, by files {:.6f} s\n", charged, counted,
             files);
  EXPECT_GE(charged, 0.3);
  constexpr double kTicks = 0.008;  // a process that moves may be charged with one tick more or less
  EXPECT_NEAR(counted, charged, 0.01 * charged + kTicks);
  EXPECT_NEAR(files, charged, 2e-3);
  EXPECT_EQ(workloads.sum(StatId::kWORKLOAD_CPU, inner_id.substr(0, kShortId)), 0);
}

}  // namespace
}  // namespace flowtap::test
