#include "identity/patterns/scheduler_match.hpp"

#include <gtest/gtest.h>

namespace flowtap::flow {
namespace {

bool matches(const std::string& pattern, std::string_view flow) {
  const auto match = SchedulerMatch::parse({pattern});
  EXPECT_TRUE(match) << match.error().what;
  return match && match->matches(flow);
}

TEST(SchedulerMatch, PodsByNamespaceNameAndContainer) {
  const std::string pattern = "pod/kube-system/kube-scheduler-*/kube-scheduler";
  EXPECT_TRUE(matches(pattern, "pod/kube-system/kube-scheduler-node1/3f1c/kube-scheduler/0"));
  EXPECT_TRUE(matches(pattern, "pod/kube-system/kube-scheduler-/3f1c/kube-scheduler/17"));
  EXPECT_FALSE(matches(pattern, "pod/kube-system/kube-scheduler/3f1c/kube-scheduler/0"));
  EXPECT_FALSE(matches(pattern, "pod/tenant/kube-scheduler-node1/3f1c/kube-scheduler/0"));
  EXPECT_FALSE(matches(pattern, "pod/kube-system/kube-scheduler-node1/3f1c/sidecar/0"));
  EXPECT_FALSE(matches(pattern, "pod/kube-system/kube-scheduler-node1/3f1c/kube-scheduler/0/inner"));
  EXPECT_FALSE(matches(pattern, "pod/kube-system/x/kube-scheduler-node1/kube-scheduler/0"));
  EXPECT_FALSE(matches(pattern, "sched/kube-system/kube-scheduler-node1"));
  EXPECT_TRUE(matches("pod/a/*b*c/*", "pod/a/xbybc/u/c/0"));
  EXPECT_FALSE(matches("pod/a/*b*c/*", "pod/a/xcyb/u/c/0"));
}

TEST(SchedulerMatch, UnitsAndFilesByName) {
  EXPECT_TRUE(matches("unit/kube-scheduler.service", "unit/kube-scheduler.service"));
  EXPECT_FALSE(matches("unit/kube-scheduler.service", "unit/kube-scheduler.service2"));
  EXPECT_TRUE(matches("file/var/log/s*d.log", "file/var/log/s*d.log"));
  EXPECT_TRUE(matches("file//var/log/sched.log", "file/var/log/sched.log")) << "as a path";
  EXPECT_FALSE(matches("file/var/log/s*d.log", "file/var/log/sched.log"));
  EXPECT_TRUE(matches("file//var/log/a b.log", "file/var/log/a%20b.log")) << "the id has it escaped";
  EXPECT_TRUE(matches("file/var/log/a%20b.log", "file/var/log/a%20b.log")) << "as flowtap flows shows it";
  EXPECT_TRUE(matches("unit/a\\x2db*.service", "unit/a%5Cx2dbc.service"));
  EXPECT_TRUE(matches("unit/a%5Cx2db.service", "unit/a%5Cx2db.service"));
  EXPECT_FALSE(matches("container/kube-scheduler-*", "unit/kube-scheduler-1"));
  EXPECT_TRUE(matches("container/kube-scheduler-*", "container/kube-scheduler-1f8bb19be14c"));
  EXPECT_TRUE(matches("container/kube-scheduler-????????????", "container/kube-scheduler-1f8bb19be14c@12"))
      << "in each run";
}

TEST(SchedulerMatch, ContainersByTheirNameAlone) {
  EXPECT_TRUE(matches("container/scheduler", "container/scheduler-1f8bb19be14c"));
  EXPECT_TRUE(matches("container/kube-scheduler", "container/kube-scheduler-1f8bb19be14c@12"))
      << "in each run";
  EXPECT_TRUE(matches("container/a-1f8bb19be14c", "container/a-1f8bb19be14c-0123456789ab"))
      << "a name may look like an id";
  EXPECT_TRUE(matches("container/a-1f8bb19be14c", "container/a-1f8bb19be14c")) << "the flow's id";
  EXPECT_TRUE(matches("container/a b", "container/a%20b-1f8bb19be14c"));
  EXPECT_TRUE(matches("container/a%20b", "container/a%20b-1f8bb19be14c"));
  EXPECT_TRUE(matches("container/1f8bb19be14c", "container/1f8bb19be14c")) << "it has no name";
  EXPECT_FALSE(matches("container/scheduler", "container/kube-scheduler-1f8bb19be14c"));
  EXPECT_FALSE(matches("container/kube", "container/kube-scheduler-1f8bb19be14c"));
  EXPECT_FALSE(matches("container/1f8bb19be14c", "container/a-1f8bb19be14c")) << "an id is no name";
  EXPECT_FALSE(matches("container/scheduler", "container/scheduler-1f8bb19be14c/inner-1f8bb19be14d"));
  EXPECT_FALSE(matches("container/scheduler", "unit/scheduler-1f8bb19be14c"));
}

TEST(SchedulerMatch, WhatIsNoPatternIsRefused) {
  for (const char* pattern : {"", "pod", "pod/a/b", "pod/a/b/c/d", "pod/*/b/c", "pod//b/c", "proc/1-2",
                              "unit/", "unit/a/b", "file", "file/"})
    EXPECT_FALSE(SchedulerMatch::parse({pattern})) << pattern;
  EXPECT_TRUE(SchedulerMatch::parse({}));
}

}  // namespace
}  // namespace flowtap::flow
