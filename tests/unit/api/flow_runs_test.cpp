#include "api/flow_runs.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace flowtap::api {
namespace {

using std::chrono::system_clock;

FlowStatus flow_of(const std::string& id, int first = 0, bool open = false) {
  FlowStatus flow;
  flow.id = id;
  flow.kind = id.substr(0, id.find('/'));
  flow.first = system_clock::time_point(std::chrono::seconds(first));
  flow.open = open;
  return flow;
}
FlowStatus pod_run(const std::string& container, std::uint64_t restart) {
  FlowStatus flow = flow_of("pod/shop/web/u/" + container + "/" + std::to_string(restart));
  flow.restart = restart;
  return flow;
}

const std::vector<FlowStatus> kFlows = {flow_of("container/again-c55c4ecf3dea", 10),
                                        flow_of("container/again-c55c4ecf3dea@10", 50),
                                        flow_of("container/again-c55c4ecf3dea@9", 60),
                                        flow_of("container/kind-aaaaaaaaaaaa", 5, true),
                                        flow_of("container/kind-aaaaaaaaaaaa/again", 70, true),
                                        flow_of("container/kind-bbbbbbbbbbbb", 90),
                                        flow_of("unit/nginx.service", 1),
                                        pod_run("app", 0),
                                        pod_run("app", 2),
                                        pod_run("app", 11),
                                        pod_run("side", 3)};

std::string named(std::string_view name) {
  const auto flow = find_named_flow(kFlows, name);
  return flow ? *flow : std::to_string(flow.error().code) + " " + flow.error().what;
}
std::string before(std::string_view id) {
  const auto flow = find_run_before(kFlows, id);
  return flow ? *flow : std::to_string(flow.error().code) + " " + flow.error().what;
}

TEST(FlowRuns, ANameMeansTheNewestRun) {
  EXPECT_EQ(named("again"), "container/again-c55c4ecf3dea@10");
  EXPECT_EQ(named("c55c4ecf3dea"), "container/again-c55c4ecf3dea@10");
  EXPECT_EQ(named("c55c4e"), "container/again-c55c4ecf3dea@10");
  EXPECT_EQ(named("container/again-c55c4ecf3dea"), "container/again-c55c4ecf3dea")
      << "its id means this one flow";
  EXPECT_EQ(named("container/again-c55c4ecf3dea@9"), "container/again-c55c4ecf3dea@9");
  EXPECT_EQ(named("kind"), "container/kind-aaaaaaaaaaaa") << "of two with that name the one that runs";
  EXPECT_EQ(named("nginx"), "unit/nginx.service");
  EXPECT_EQ(named("web"),
            std::to_string(ENOENT) + R"( no log of a container or unit "web" is known on this node)");
}

// podman rename: the container keeps its id, and its runs go on.
TEST(FlowRuns, AlsoUnderAnotherName) {
  const std::vector<FlowStatus> flows = {flow_of("container/old-c55c4ecf3dea", 10),
                                         flow_of("container/new-c55c4ecf3dea@2", 5),
                                         flow_of("container/new-c55c4ecf3deb", 70)};
  EXPECT_EQ(find_run_before(flows, "container/new-c55c4ecf3dea@2").value(), "container/old-c55c4ecf3dea");
  EXPECT_EQ(find_named_flow(flows, "c55c4ecf3dea").value(), "container/new-c55c4ecf3dea@2");
  EXPECT_FALSE(find_run_before(flows, "container/new-c55c4ecf3deb"));
}

TEST(FlowRuns, TheRunBefore) {
  EXPECT_EQ(before("container/again-c55c4ecf3dea@10"), "container/again-c55c4ecf3dea@9");
  EXPECT_EQ(before("container/again-c55c4ecf3dea@9"), "container/again-c55c4ecf3dea")
      << "those between made room";
  EXPECT_EQ(
      before("container/again-c55c4ecf3dea"),
      std::to_string(EINVAL) + R"( no run before "container/again-c55c4ecf3dea" is known on this node)");
  EXPECT_EQ(before("pod/shop/web/u/app/11"), "pod/shop/web/u/app/2");
  EXPECT_EQ(before("pod/shop/web/u/side/3"),
            std::to_string(EINVAL) + R"( no run before "pod/shop/web/u/side/3" is known on this node)");
  EXPECT_EQ(before("unit/nginx.service"),
            std::to_string(EINVAL) + R"( "unit/nginx.service" has no runs: all that it writes is one log)");
  EXPECT_EQ(
      before("container/again-c55c4ecf3dea@11"),
      std::to_string(ENOENT) + R"( the flow "container/again-c55c4ecf3dea@11" is not known on this node)");
}

}  // namespace
}  // namespace flowtap::api
