// Which limits the memory of this process has: of its cgroups, and of the machine.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/memory/memory_files.hpp"
#include "stream/memory/memory_limit.hpp"
#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr const char* kMeminfo = "MemTotal:        8388608 kB\nMemFree:  1 kB\n";
constexpr const char* kV2Mount =
    "25 1 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

std::vector<MemoryLimit> limits_of(const test::FileTree& tree) {
  std::string unread;
  auto limits = memory_limits(unread, tree.root());
  EXPECT_EQ(unread, "");
  return limits;
}

TEST(MemoryLimits, TheNearestIsTheSmallestOfAllAbove) {
  test::FileTree tree;
  tree.file("proc/meminfo", kMeminfo)
      .file("proc/self/cgroup", "0::/kubepods/pod1/app\n")
      .file("proc/self/mountinfo", kV2Mount)
      .file("sys/fs/cgroup/kubepods/pod1/app/memory.max", "max\n")
      .file("sys/fs/cgroup/kubepods/pod1/memory.max", "209715200\n")
      .file("sys/fs/cgroup/kubepods/pod1/memory.current", "104857600\n")
      .file("sys/fs/cgroup/kubepods/pod1/memory.stat",
            "anon 1\nfile 73400320\nshmem 62914560\ninactive_file 5242880\nactive_file 4194304\n"
            "slab_reclaimable 1048576\nslab_unreclaimable 2097152\n")
      .file("sys/fs/cgroup/kubepods/memory.max", "1073741824\n");
  const auto limits = limits_of(tree);
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_EQ(smallest(limits)->bytes, 200 * kMiB);
  EXPECT_EQ(smallest(limits)->left, 110 * kMiB) << "tmpfs is not taken back, caches of files are";
  EXPECT_EQ(smallest(limits)->shmem, 60 * kMiB);
  EXPECT_EQ(smallest(limits)->whose, "memory.max of the cgroup /kubepods/pod1");
  EXPECT_EQ(limits.back().whose, "the machine's memory");
  EXPECT_EQ(limits.back().bytes, 8192 * kMiB);
  EXPECT_EQ(limits.back().left, 8192 * kMiB);
}

TEST(MemoryLimits, OfV1) {
  test::FileTree tree;
  tree.file("proc/self/cgroup", "11:devices:/x\n4:memory:/a/b\n0::/\n")
      .file("proc/self/mountinfo",
            "30 1 0:9 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
            "31 1 0:26 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n")
      .file("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "104857600\n")
      .file("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "94371840\n")
      .file("sys/fs/cgroup/memory/a/b/memory.stat",
            "inactive_file 7\ntotal_inactive_file 4194304\nshmem 7\ntotal_shmem 1048576\n")
      .file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = limits_of(tree);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits.front().bytes, 100 * kMiB);
  EXPECT_EQ(limits.front().left, 14 * kMiB);
  EXPECT_EQ(limits.front().shmem, kMiB);
  EXPECT_EQ(limits.front().whose, "memory.limit_in_bytes of the cgroup /a/b");
}

// Below memory.high nothing is killed, but whoever comes above it hardly goes on.
TEST(MemoryLimits, AboveWhichTheKernelSlowsDown) {
  test::FileTree tree;
  tree.file("proc/self/cgroup", "0::/system.slice/flowtapd.service\n")
      .file("proc/self/mountinfo", kV2Mount)
      .file("sys/fs/cgroup/system.slice/flowtapd.service/memory.max", "209715200\n")
      .file("sys/fs/cgroup/system.slice/flowtapd.service/memory.high", "104857600\n")
      .file("sys/fs/cgroup/system.slice/memory.high", "max\n");
  const auto limits = limits_of(tree);
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_FALSE(limits.front().slows);
  EXPECT_TRUE(smallest(limits)->slows);
  EXPECT_EQ(smallest(limits)->bytes, 100 * kMiB);
  EXPECT_EQ(smallest(limits)->whose, "memory.high of the cgroup /system.slice/flowtapd.service");
}

// A container sees its own cgroup as the root, or the whole tree's path beside a mount that begins at its own.
TEST(MemoryLimits, InContainers) {
  for (const char* cgroup : {"0::/\n", "0::/../../x\n", "0::/kubepods/app\n"}) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", cgroup)
        .file("proc/self/mountinfo", cgroup == std::string("0::/kubepods/app\n")
                                         ? "25 1 0:22 /kubepods/app /sys/fs/cgroup ro - cgroup2 cgroup2 ro\n"
                                         : kV2Mount)
        .file("sys/fs/cgroup/memory.max", "67108864\n")
        .file("sys/fs/cgroup/memory.current", "1048576\n");
    const auto limits = limits_of(tree);
    ASSERT_EQ(limits.size(), 1U) << cgroup;
    EXPECT_EQ(limits.front().left, 63 * kMiB) << cgroup;
  }
}

// What others do in a cgroup above is no reason to remove anything here.
TEST(MemoryLimits, WhichOnesAreItsOwn) {
  const std::string pod = "/kubepods/pod00000000-1111-2222-3333-444444444444";
  test::FileTree tree;
  tree.file("proc/self/cgroup", "0::" + pod + "/app\n").file("proc/self/mountinfo", kV2Mount);
  for (const std::string& cgroup : {pod + "/app", pod, std::string("/kubepods")})
    tree.file("sys/fs/cgroup" + cgroup + "/memory.max", "209715200\n")
        .file("sys/fs/cgroup" + cgroup + "/memory.current", "209715200\n");
  const auto limits = limits_of(tree);
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_TRUE(limits[0].own);
  EXPECT_TRUE(limits[1].own);
  EXPECT_FALSE(limits[2].own);
}

TEST(MemoryLimits, WhatThisProcessHasAlreadyIsLeftToIt) {
  test::FileTree tree;
  tree.file("proc/self/cgroup", "0::/\n")
      .file("proc/self/mountinfo", kV2Mount)
      .file("proc/self/statm", "40000 512 256 9 0 77 0\n")
      .file("sys/fs/cgroup/memory.max", "104857600\n")
      .file("sys/fs/cgroup/memory.current", "104857600\n");
  EXPECT_EQ(limits_of(tree).at(0).left, 256U * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

// A node with many containers has that many.
TEST(MemoryLimits, BehindThousandsOfMounts) {
  std::string mounts;
  while (mounts.size() < 3 * kMiB)
    mounts += "99 1 0:44 / /var/lib/containers/" + std::to_string(mounts.size()) +
              " rw,relatime - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/d\n";
  test::FileTree tree;
  tree.file("proc/self/cgroup", "0::/\n")
      .file("proc/self/mountinfo", mounts + kV2Mount)
      .file("sys/fs/cgroup/memory.max", "104857600\n");
  EXPECT_EQ(limits_of(tree).size(), 1U);
}

TEST(MemoryLimits, WhatCannotBeReadIsNoLimitAndIsTold) {
  test::FileTree tree;
  std::string unread;
  EXPECT_TRUE(memory_limits(unread, tree.root()).empty());
  EXPECT_NE(unread.find("the memory limits of cgroups are not known"), std::string::npos) << unread;
  EXPECT_NE(unread.find("/proc/self/cgroup"), std::string::npos) << unread;
  tree.file("proc/self/cgroup", "nonsense\n::\n0:/x\n")
      .file("proc/self/mountinfo", "25 - cgroup2\n - \n25 1 0:22 / /sys/fs/cgroup - cgroup2 x rw\n");
  EXPECT_TRUE(limits_of(tree).empty());
  EXPECT_EQ(smallest({}), nullptr);
}

// Whatever a file says: a number, or no limit.
TEST(MemoryLimits, OnlyAWholeNumberIsALimit) {
  const auto limit = [](const std::string& text) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", "0::/x\n")
        .file("proc/self/mountinfo", kV2Mount)
        .file("sys/fs/cgroup/x/memory.max", text)
        .file("sys/fs/cgroup/x/memory.current", "4096\n");
    const auto limits = limits_of(tree);
    return limits.empty() ? std::nullopt : std::optional(limits.front().bytes);
  };
  EXPECT_EQ(limit("1048576\n"), kMiB);
  EXPECT_EQ(limit("1048576"), kMiB);
  EXPECT_EQ(limit("0\n"), 0U) << "the kernel takes it";
  for (const char* none : {"", "\n", "max\n", "max", "-1\n", "+1048576\n", "1e9\n", "1048576 2\n",
                           "1048576k\n", "0x100000\n", "1048576\n7\n", "9223372036854771712\n",
                           "18446744073709551615\n", "99999999999999999999999\n", "\xff\xfe\x01", "MAX\n"})
    EXPECT_EQ(limit(none), std::nullopt) << none;
}

TEST(MemoryLimits, WhatIsChargedAndCannotBeReadCountsAsNothing) {
  const auto left = [](const std::string& current, const std::string& stat) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", "0::/x\n")
        .file("proc/self/mountinfo", kV2Mount)
        .file("sys/fs/cgroup/x/memory.max", "1048576\n")
        .file("sys/fs/cgroup/x/memory.current", current)
        .file("sys/fs/cgroup/x/memory.stat", stat);
    return limits_of(tree).at(0).left;
  };
  EXPECT_EQ(left("4096\n", ""), kMiB - 4096);
  EXPECT_EQ(left("4096\n", "inactive_file 99999999\n"), kMiB) << "more cache than there is";
  EXPECT_EQ(left("4096\n", "inactive_file -7\nactive_file\nslab_reclaimable 1e3\nnonsense"), kMiB - 4096);
  EXPECT_EQ(left("99999999999\n", ""), 0U) << "more than the limit, as when that was lowered";
  for (const char* none : {"", "max\n", "-5\n", "99999999999999999999999\n", "x"})
    EXPECT_EQ(left(none, ""), kMiB) << none;
}

TEST(MemoryLimits, PlacesThatAreNone) {
  const auto place = [](std::string_view cgroup, std::string_view mountinfo) {
    return memory_cgroup_place(cgroup, mountinfo, CgroupVersion::kV2);
  };
  const std::string_view good = "0::/a/b\n";
  ASSERT_TRUE(place(good, kV2Mount));
  EXPECT_EQ(place(good, kV2Mount)->path, "/a/b");
  for (const std::string_view cgroup :
       {"", "\n", ":", "::", "0::", "0::\n", "0::relative\n", "0:/x\n", "1::/x\n"})
    EXPECT_FALSE(place(cgroup, kV2Mount)) << cgroup;
  for (const std::string_view mounts :
       {"", " - cgroup2\n", "25 - cgroup2\n", "25 1 0:22 / - cgroup2 x rw\n",
        "25 1 0:22 / sys rw - cgroup2 x rw\n", "25 1 0:22 x /sys rw - cgroup2 x rw\n",
        "25 1 0:22 / /sys rw cgroup2 x rw\n"})
    EXPECT_FALSE(place(good, mounts)) << mounts;
  EXPECT_EQ(place(good, "25 1 0:22 /elsewhere /sys rw - cgroup2 x rw\n")->path, "");
  EXPECT_EQ(place(good, "25 1 0:22 /a /sys rw - cgroup2 x rw\n")->path, "/b");
  EXPECT_EQ(place("0::/ab\n", "25 1 0:22 /a /sys rw - cgroup2 x rw\n")->path, "") << "another one's name";
}

TEST(MemoryLimits, AMachineWithNoMemoryOrTooMuchOfIt) {
  for (const char* meminfo : {"", "MemTotal: kB\n", "MemTotal: -1 kB\n",
                              "MemTotal: 18446744073709551615 kB\n", "MemTotal: 0 kB\n"}) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", "0::/\n")
        .file("proc/self/mountinfo", kV2Mount)
        .file("proc/meminfo", meminfo);
    EXPECT_TRUE(limits_of(tree).empty()) << meminfo;
  }
}

TEST(MemoryLimits, WhatAProcessHasBesideItsFiles) {
  EXPECT_EQ(anonymous_of_statm("40000 512 256 9 0 77 0\n", 4096), 256U * 4096);
  EXPECT_EQ(anonymous_of_statm("40000 512 600 9 0 77 0\n", 4096), 0U);
  for (const char* none : {"", "\n", "1", "1 x", "1 99999999999999999999999 0", "1 18446744073709551615 0"})
    EXPECT_EQ(anonymous_of_statm(none, 4096), 0U) << none;
}

}  // namespace
}  // namespace flowtap
