// Nodes with v1, v2 and both, as trees of files.
#include "identity/usage_hierarchy.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::identity {
namespace {

using test::FileTree;

// Debian 12, booted with systemd.unified_cgroup_hierarchy=0.
constexpr std::string_view kOfV1 =
    "#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
    "cpuset\t4\t1\t1\ncpu\t5\t44\t1\ncpuacct\t5\t44\t1\nblkio\t9\t44\t1\nmemory\t3\t87\t1\n";
// The same without that option: all controllers belong to v2.
constexpr std::string_view kOfV2 =
    "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t0\t81\t1\ncpu\t0\t81\t1\ncpuacct\t0\t81\t1\n";

void add_v2(FileTree& tree, const std::string& below = {}) {
  tree.file("sys/fs/cgroup" + below + "/cgroup.controllers", "");
}
void add_v1(FileTree& tree, const std::string& name) {
  tree.file("proc/cgroups", kOfV1).file("sys/fs/cgroup/" + name + "/cpuacct.stat", "user 1\nsystem 2\n");
}
std::string place_in(const FileTree& tree, std::string_view wanted) {
  const auto chosen = choose_hierarchy(tree.root(), wanted);
  if (!chosen) return "error: " + chosen.error().what;
  return chosen->place.empty() ? "none" : chosen->place.substr(tree.root().size());
}

TEST(UsageHierarchy, IsTheNumberOfTheController) {
  EXPECT_EQ(parse_proc_cgroups(kOfV1, "cpuacct"), 5U);
  EXPECT_EQ(parse_proc_cgroups(kOfV1, "memory"), 3U);
  EXPECT_FALSE(parse_proc_cgroups(kOfV1, "cpuac"));
  EXPECT_FALSE(parse_proc_cgroups(kOfV2, "cpuacct")) << "v2 has it";
  for (const char* text : {"", "cpuacct", "cpuacct\t", "cpuacct\tx\t1\t1\n", "cpuacct\t-1\t1\t1\n",
                           "cpuacct\t5x\t1\t1\n", "cpuacct\t99999999999\t1\t1\n"})
    EXPECT_FALSE(parse_proc_cgroups(text, "cpuacct")) << text;
  EXPECT_EQ(parse_proc_cgroups("cpuacct\t7", "cpuacct"), 7U);
}

TEST(UsageHierarchy, IsV2sWhereThatIsSeen) {
  FileTree v2;
  add_v2(v2);
  v2.file("proc/cgroups", kOfV2);
  EXPECT_EQ(place_in(v2, kAnyHierarchy), "/sys/fs/cgroup");
  EXPECT_EQ(place_in(v2, kHierarchyOfV2), "/sys/fs/cgroup");
  EXPECT_EQ(place_in(v2, kHierarchyOfV1), "error: there is no hierarchy of cgroup v1 with cpuacct here");
  EXPECT_FALSE(choose_hierarchy(v2.root(), kAnyHierarchy)->is_v1());
}

TEST(UsageHierarchy, OfAHybridNodeIsTheOneThatIsAskedFor) {
  FileTree hybrid;
  add_v2(hybrid, "/unified");
  add_v1(hybrid, "cpuacct");
  EXPECT_EQ(place_in(hybrid, kAnyHierarchy), "/sys/fs/cgroup/unified");
  EXPECT_EQ(place_in(hybrid, kHierarchyOfV2), "/sys/fs/cgroup/unified");
  EXPECT_EQ(place_in(hybrid, kHierarchyOfV1), "/sys/fs/cgroup/cpuacct");
  EXPECT_EQ(choose_hierarchy(hybrid.root(), kHierarchyOfV1)->id, 5U);
}

TEST(UsageHierarchy, OfANodeWithV1AloneIsThatOfCpuacct) {
  FileTree links;
  add_v1(links, "cpuacct");
  EXPECT_EQ(place_in(links, kAnyHierarchy), "/sys/fs/cgroup/cpuacct");
  EXPECT_EQ(choose_hierarchy(links.root(), kAnyHierarchy)->id, 5U);
  FileTree none;
  add_v1(none, "cpu,cpuacct");
  EXPECT_EQ(place_in(none, kAnyHierarchy), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(place_in(none, kHierarchyOfV2), "none");
}

TEST(UsageHierarchy, IsNoneWhereNeitherIsSeen) {
  const FileTree empty;
  EXPECT_EQ(place_in(empty, kAnyHierarchy), "none");
  FileTree unmounted;
  unmounted.file("proc/cgroups", kOfV1).file("sys/fs/cgroup/cpuacct/other", "");
  EXPECT_EQ(place_in(unmounted, kAnyHierarchy), "none");
  FileTree of_v2;
  add_v1(of_v2, "cpuacct");
  of_v2.file("proc/cgroups", kOfV2);
  EXPECT_EQ(place_in(of_v2, kAnyHierarchy), "none") << "a directory of whoever";
  EXPECT_FALSE(UsageHierarchy{}.open());
}

TEST(UsageHierarchy, HasThePathsOfItsProcesses) {
  constexpr std::string_view kBoth = "5:cpu,cpuacct:/docker/a\n3:memory:/docker/b\n0::/docker/c\n";
  EXPECT_EQ((UsageHierarchy{.place = "/x", .id = 5}.path_in(kBoth)), "/docker/a");
  EXPECT_EQ((UsageHierarchy{.place = "/x", .id = 0}.path_in(kBoth)), "/docker/c");
}

}  // namespace
}  // namespace flowtap::identity
