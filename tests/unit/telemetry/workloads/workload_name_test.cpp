#include "telemetry/workloads/workload_name.hpp"

#include <gtest/gtest.h>

namespace flowtap::telemetry {
namespace {

TEST(WorkloadName, ControllersAreReadFromThePodsTheyName) {
  EXPECT_EQ(controller_of("web-5d69c7f9c9-x7x2b"), "web") << "Deployment";
  EXPECT_EQ(controller_of("my-web-app-7c6d8f6b5-q2wpl"), "my-web-app");
  EXPECT_EQ(controller_of("agent-w4k2p"), "agent") << "DaemonSet, Job";
  EXPECT_EQ(controller_of("node-exporter-w4k2p"), "node-exporter");
  EXPECT_EQ(controller_of("db-0"), "db") << "StatefulSet";
  EXPECT_EQ(controller_of("db-117"), "db");
  EXPECT_EQ(controller_of("nightly-28934480-7qwxz"), "nightly") << "CronJob";
  EXPECT_EQ(controller_of("idx-0-5zgmc"), "idx") << "Indexed Job";
  EXPECT_EQ(controller_of("my-idx-99999-5zgmc"), "my-idx");
  EXPECT_EQ(controller_of("nightly-28934480-12-7qwxz"), "nightly") << "a CronJob's Indexed Job";
}

TEST(WorkloadName, OtherPodsAreTheirOwn) {
  for (const auto* pod :
       {"", "-", "web", "redis-master", "kube-apiserver-node1", "my-tools", "a-", "-0", "x-aeiou"})
    EXPECT_EQ(controller_of(pod), "") << pod;
}

TEST(WorkloadName, LabelsStandInTheOrderOfTheTable) {
  const WorkloadName name{
      .kind = WorkloadKind::kPod, .ns = "n", .pod = "p", .container = "c", .workload = "w"};
  EXPECT_EQ(name.labels(), (std::vector<std::string>{"pod", "n", "p", "c", "w"}));
  EXPECT_EQ(WorkloadName{}.labels().front(), "unknown");
}

}  // namespace
}  // namespace flowtap::telemetry
