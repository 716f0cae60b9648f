#include "telemetry/workloads/container_ends.hpp"

#include <gtest/gtest.h>

namespace flowtap::telemetry {
namespace {

EndedContainer ended(const std::string& pod, const std::string& container, int status) {
  return {
      .name = {.kind = WorkloadKind::kPod, .ns = "shop", .pod = pod, .container = container, .workload = {}},
      .flow = "pod/" + pod,
      .end = {.status = status, .oom = false, .time = {}}};
}

TEST(ContainerEnds, TheLastOfEachContainerOfAPod) {
  ContainerEnds ends;
  ends.note(ended("web-0", "b", 1));
  ends.note(ended("web-0", "a", 2));
  ends.note(ended("web-00", "a", 3));
  ends.note(ended("web-0", "b", 4));
  const auto all = ends.of_pod("shop", "web-0");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0).end.status, 2);
  EXPECT_EQ(all.at(1).end.status, 4);
  EXPECT_TRUE(ends.of_pod("shop", "web").empty());
  EXPECT_TRUE(ends.of_pod("other", "web-0").empty());
}

TEST(ContainerEnds, TheOldestMakesRoom) {
  ContainerEnds ends;
  for (std::size_t i = 0; i < ContainerEnds::kMost; ++i) ends.note(ended("p" + std::to_string(i), "a", 1));
  ends.note(ended("p0", "a", 2));  // it is no longer the oldest
  ends.note(ended("new", "a", 1));
  EXPECT_EQ(ends.of_pod("shop", "p0").size(), 1U);
  EXPECT_EQ(ends.of_pod("shop", "p1").size(), 0U);
  EXPECT_EQ(ends.of_pod("shop", "new").size(), 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
