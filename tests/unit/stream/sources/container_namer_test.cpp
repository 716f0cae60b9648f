// What a stream is called when nobody can say any more whose it is.
#include "stream/sources/container_namer.hpp"

#include <gtest/gtest.h>

#include <filesystem>

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

}  // namespace
}  // namespace flowtap
