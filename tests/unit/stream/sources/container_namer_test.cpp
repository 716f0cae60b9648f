// What a stream is called when nobody can say any more whose it is.
#include "stream/sources/container_namer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "identity/flow_labels.hpp"
#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

// A user's container was over before the path of its cgroup could be read. The user chose its names, so they prove nothing, but
// what it wrote is not let go.
TEST(ContainerNamer, WhoIsUnprovenIsToldByItsProcess) {
  const test::FileTree tree;
  std::filesystem::create_directories(tree.root() + "/proc");
  const auto namer = ContainerNamer::open(tree.root());
  ASSERT_TRUE(namer);
  flow::Enter enter;
  enter.pid = 4711;
  enter.start_time = 1'234'560'000'000;
  enter.cgroup = 7;
  enter.cgroup_name = std::string(64, 'e');
  enter.parent_name = "user.slice";
  enter.users_names = true;
  const flow::Naming naming = (*namer)->name(enter);
  EXPECT_EQ(naming.state, flow::NamingState::kPartial) << "its path may be read yet";
  EXPECT_EQ(naming.flow, "proc/4711-123456");
  EXPECT_EQ(naming.identity, "{}");
  enter.users_names = false;
  EXPECT_EQ((*namer)->name(enter).flow, "container/" + enter.cgroup_name) << "root's names do";
}

// Its first process is gone with all that its slot would lead to.
TEST(ContainerNamer, WhoIsGoneIsToldByItsProcess) {
  const test::FileTree tree;
  std::filesystem::create_directories(tree.root() + "/proc");
  const auto namer = ContainerNamer::open(tree.root());
  ASSERT_TRUE(namer);
  flow::Enter enter;
  enter.pid = 4711;
  enter.start_time = 1'234'560'000'000;
  EXPECT_EQ((*namer)->name(enter).flow, "") << "flowtapd has opened it, and names it itself";
  enter.cgroup = 7;
  EXPECT_EQ((*namer)->name(enter).flow, "proc/4711-123456");
}

const std::string kPodmansId(64, 'e');
const std::string kPodmansCgroup = "libpod-" + kPodmansId + ".scope";

// The first process of a run of podman's container.
flow::Enter enter_of_podman(std::uint64_t cgroup, std::uint64_t start_time) {
  flow::Enter enter;
  enter.pid = 4711;
  enter.start_time = start_time;
  enter.cgroup = cgroup;
  enter.cgroup_name = kPodmansCgroup;
  enter.parent_name = "machine.slice";
  return enter;
}

// podman and Docker start a container again with the id that it has, and in a new cgroup.
TEST(ContainerNamer, EachRunHasAFlowOfItsOwn) {
  const test::FileTree tree;
  std::filesystem::create_directories(tree.root() + "/proc");
  const auto named = std::make_shared<NamedContainers>();
  const auto namer = ContainerNamer::open(tree.root(), {}, named);
  ASSERT_TRUE(namer);
  flow::Enter enter = enter_of_podman(7, 1'000'000);
  const std::string first = "container/" + kPodmansId;
  EXPECT_EQ((*namer)->name(enter).flow, first);
  EXPECT_EQ((*namer)->name(enter).flow, first);
  enter.cgroup = 8;
  enter.start_time = 60'001'000'000;
  const flow::Naming second = (*namer)->name(enter);
  EXPECT_EQ(second.flow, first + "@2");
  const FlowLabels labels = parse_labels(second.identity);
  EXPECT_EQ(labels.cgroup, 8U);
  ASSERT_TRUE(labels.started);
  const auto span = named->runs().span(first);
  ASSERT_TRUE(span);
  EXPECT_NEAR(static_cast<double>(span->to - span->from), 60e9, 1e9) << "as far apart as they were started";
  // What the next service learns from the journal.
  const auto later = std::make_shared<NamedContainers>();
  later->runs().learn(second.flow, {.cgroup = *labels.cgroup, .started = *labels.started});
  const auto next = ContainerNamer::open(tree.root(), {}, later);
  ASSERT_TRUE(next);
  EXPECT_EQ((*next)->name(enter).flow, second.flow);
  enter.cgroup = 9;
  enter.start_time = 90'000'000'000;
  EXPECT_EQ((*next)->name(enter).flow, first + "@3");
}

// A build that told no runs apart has named one output of a container that still runs. The other one is not captured, and is listed
// at each start.
TEST(ContainerNamer, WhatRunsOverAnUpgradeIsNoOtherRun) {
  const test::FileTree tree;
  std::filesystem::create_directories(tree.root() + "/proc");
  const auto namer = ContainerNamer::open(tree.root());
  ASSERT_TRUE(namer);
  const std::string first = "container/" + kPodmansId;
  (*namer)->learn({.flow = first, .output = "stdout", .identity = R"({"runtime":"podman"})"},
                  {.stream = 3, .cgroup = 7, .start_time = 1'000'000});
  (*namer)->learn({.flow = "unit/a.service", .output = "stdout", .identity = "{}"},
                  {.stream = 4, .cgroup = 5});
  flow::Enter enter = enter_of_podman(7, 2'000'000);
  EXPECT_EQ((*namer)->name(enter).flow, first);
  enter.cgroup = 8;  // the same process, in whichever cgroup
  enter.start_time = 1'000'000;
  EXPECT_EQ((*namer)->name(enter).flow, first);
  enter.cgroup = 9;
  enter.start_time = 60'001'000'000;
  EXPECT_EQ((*namer)->name(enter).flow, first + "@2");
}

// crun puts the process into a cgroup of its own below the container's. As long as the path cannot be read, only that one is known.
TEST(ContainerNamer, ACgroupBelowTheContainersIsNoOtherRun) {
  const test::FileTree tree;
  std::filesystem::create_directories(tree.root() + "/proc");
  const auto named = std::make_shared<NamedContainers>();
  const auto namer = ContainerNamer::open(tree.root(), {}, named);
  ASSERT_TRUE(namer);
  flow::Enter enter = enter_of_podman(8, 1'000'000'000);
  enter.cgroup_name = "container";
  enter.parent_name = kPodmansCgroup;
  const std::string first = "container/" + kPodmansId;
  EXPECT_EQ((*namer)->name(enter).flow, first);
  enter = enter_of_podman(7, enter.start_time);
  EXPECT_EQ((*namer)->name(enter).flow, first);
  EXPECT_EQ(named->runs().size(), 1U);
}

}  // namespace
}  // namespace flowtap
