// Containers that only the hierarchies of cgroup v1 know, in a procfs made of files.
#include "stream/sources/v1_containers.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

const std::string kOne(64, 'a');
const std::string kOther(64, 'b');

V1Containers found(const test::FileTree& tree) {
  return find_v1_containers(*identity::RootDir::open(tree.root())).value();
}

TEST(V1Containers, AreCountedOnceEach) {
  test::FileTree tree;
  tree.file("version", "Linux");
  tree.file("10/cgroup", "4:memory:/docker/" + kOne + "\n1:name=systemd:/docker/" + kOne + "\n0::/\n");
  tree.file("11/cgroup", "4:memory:/docker/" + kOne + "\n0::/\n");
  tree.file("12/cgroup", "4:memory:/kubepods/pod3f1c2a50-7e0e-4c59-9f0e-0d6a3a1c9b11/" + kOther + "\n");
  const V1Containers all = found(tree);
  EXPECT_EQ(all.count, 2U);
  EXPECT_EQ(all.example, kOne);
  EXPECT_TRUE(v1_warning(all).starts_with("2 containers have no cgroup of version 2")) << v1_warning(all);
  EXPECT_TRUE(v1_warning(all).contains("telemetry.hierarchy: v1")) << v1_warning(all);
}

TEST(V1Containers, NeitherThoseOfV2NorPlainProcesses) {
  test::FileTree tree;
  tree.file("10/cgroup", "4:memory:/docker/" + kOne + "\n0::/docker/" + kOne + "\n");
  tree.file("11/cgroup", "0::/system.slice/docker-" + kOne + ".scope\n");
  tree.file("12/cgroup", "4:memory:/user.slice\n0::/\n");
  tree.file("self/cgroup", "4:memory:/docker/" + kOther + "\n0::/\n");
  EXPECT_EQ(found(tree).count, 0U);
  EXPECT_EQ(v1_warning(found(tree)), "");
}

TEST(V1Search, TellsOnce) {
  test::FileTree tree;
  tree.file("proc/10/cgroup", "4:memory:/docker/" + kOne + "\n0::/\n");
  V1Search search(tree.root());
  EXPECT_EQ(search.look_around(), v1_warning({.count = 1, .example = kOne}));
  EXPECT_FALSE(search.look_around());
}

TEST(V1Search, SaysNothingWhereThereIsNothing) {
  test::FileTree tree;
  tree.file("proc/10/cgroup", "0::/system.slice\n");
  EXPECT_FALSE(V1Search(tree.root()).look_around());
  EXPECT_FALSE(V1Search(tree.root() + "/nowhere").look_around());
}

}  // namespace
}  // namespace flowtap
