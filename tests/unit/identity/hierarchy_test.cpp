#include "identity/hierarchy.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::identity {
namespace {

std::uint64_t inode_of(const std::string& path) {
  struct stat found{};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
  return found.st_ino;
}

TEST(Hierarchy, AllCgroupsAreSeenWithTheirIds) {
  test::FileTree tree;
  tree.file("cgroup.procs", "")
      .file("a.slice/b.service/cgroup.procs", "")
      .file("kubepods/pod1/c1/cpu.stat", "");
  std::filesystem::create_directory_symlink("/", tree.root() + "/link");
  std::map<std::string, std::uint64_t> seen;
  const auto top = RootDir::open(tree.root());
  ASSERT_TRUE(top);
  EXPECT_TRUE(
      walk_cgroups(*top, [&](std::uint64_t id, std::string path) { seen.emplace(std::move(path), id); }));
  std::map<std::string, std::uint64_t> expected{{"/", inode_of(tree.root())}};
  for (const auto* path :
       {"/a.slice", "/a.slice/b.service", "/kubepods", "/kubepods/pod1", "/kubepods/pod1/c1"})
    expected.emplace(path, inode_of(tree.root() + path));
  EXPECT_EQ(seen, expected) << "a link is none, nor is a file";
}

TEST(Hierarchy, IsFoundBesideHierarchiesOfV1) {
  test::FileTree v2;
  v2.file("sys/fs/cgroup/cgroup.controllers", "cpu");
  EXPECT_TRUE(open_cgroup2(v2.root()));
  test::FileTree hybrid;
  hybrid.file("sys/fs/cgroup/cpu/tasks", "").file("sys/fs/cgroup/unified/cgroup.controllers", "");
  EXPECT_TRUE(open_cgroup2(hybrid.root()));
  test::FileTree v1;
  v1.file("sys/fs/cgroup/cpu/tasks", "");
  EXPECT_FALSE(open_cgroup2(v1.root()));
}

}  // namespace
}  // namespace flowtap::identity
