// Directories that look like a node's cgroups, and a workload's values from them.
// tests/node/telemetry/cgroup_files_test.cpp asks real ones what the kernel does when a cgroup is removed.
#include "telemetry/workloads/files/cgroup_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/few_descriptors.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/workloads/cgroup_read.hpp"

namespace flowtap::telemetry {
namespace {

using enum CgroupCounter;
using enum CgroupGauge;
using flowtap::test::FewDescriptors;
using flowtap::test::FileTree;
using test::Read;
using test::read;

Read read(const FileTree& tree, const std::string& path) {
  return test::read_of(CgroupFileSource::open_below(tree.root()), path);
}

TEST(CgroupFiles, ReadsWhatIsThere) {
  FileTree tree;
  tree.file("cgroup.controllers", "cpu memory\n")
      .file("pods/a/cpu.stat", "user_usec 7\nsystem_usec 8\n")
      .file("pods/a/cpu.max", "200000 100000\n")
      .file("pods/a/memory.current", "20480\n")
      .file("pods/a/memory.stat", "anon 4096\ninactive_file 4096\n");
  const Read all = read(tree, "/pods/a");
  ASSERT_TRUE(all.there);
  EXPECT_EQ(all.values[kCpuUser], 7000U);
  EXPECT_EQ(all.values[kCpuLimit], 2.0);
  EXPECT_EQ(all.values[kWorkingSet], 16384);
  EXPECT_FALSE(all.values[kTasks]) << "not enabled";
  EXPECT_EQ(all.unread, 0U);
}

TEST(CgroupFiles, ReadsAnewEachTime) {
  FileTree tree;
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n").file("a/memory.current", "1\n");
  const auto source = CgroupFileSource::open_below(tree.root());
  std::uint64_t unread = 0;
  const auto cgroup = source->open("/a", unread);
  EXPECT_EQ(read(*cgroup).values[kMemory], 1);
  tree.file("a/memory.current", "22\n");
  EXPECT_EQ(read(*cgroup).values[kMemory], 22);
  tree.file("a/memory.current", "3\n");
  EXPECT_EQ(read(*cgroup).values[kMemory], 3);
}

TEST(CgroupFiles, WhatIsMalformedIsAbsentAsAWholeAndCounted) {
  FileTree tree;
  tree.file("cgroup.controllers", "")
      .file("a/cpu.stat", "user_usec 7\nsystem_usec x\n")
      .file("a/memory.current", "\n")
      .file("a/memory.stat", std::string(std::size_t{1} << 21U, 'a'))
      .file("a/pids.current", "4\n");
  std::filesystem::create_directory(tree.root() + "/a/io.stat");
  const Read all = read(tree, "/a");
  ASSERT_TRUE(all.there);
  EXPECT_FALSE(all.values[kCpuUser]);
  EXPECT_FALSE(all.values[kMemory]);
  EXPECT_EQ(all.values[kTasks], 4);
  EXPECT_EQ(all.unread, 4U);
}

TEST(CgroupFiles, AFileThatIsLongerThanTheBufferIsRead) {
  FileTree tree;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "8:" + std::to_string(i) + " rbytes=1 wbytes=0 rios=1 wios=0\n";
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n").file("a/io.stat", text);
  const Read all = read(tree, "/a");
  EXPECT_EQ(all.values.io.value().size(), 5000U);
  EXPECT_EQ(all.unread, 0U);
}

TEST(CgroupFiles, WhatIsNotThereIsNoError) {
  FileTree tree;
  EXPECT_FALSE(CgroupFileSource::open_below(tree.root())) << "no cgroup.controllers: not v2";
  tree.file("cgroup.controllers", "").file("a/other", "");
  EXPECT_FALSE(read(tree, "/b").there);
  EXPECT_EQ(read(tree, "/b").unread, 0U);
  EXPECT_FALSE(read(tree, "/a").there);
  EXPECT_EQ(read(tree, "/a").unread, 0U);
}

TEST(CgroupFiles, NoPathOrLinkLeadsOut) {
  FileTree outside;
  outside.file("cpu.stat", "user_usec 7\n").file("cpu.max", "1 1\n");
  FileTree tree;
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n");
  std::filesystem::create_directory_symlink(outside.root(), tree.root() + "/link");
  std::filesystem::create_symlink(outside.root() + "/cpu.max", tree.root() + "/a/cpu.max");
  EXPECT_FALSE(read(tree, "/link").there);
  EXPECT_FALSE(read(tree, "/../" + outside.root().substr(outside.root().rfind('/') + 1)).there);
  EXPECT_EQ(read(tree, "/a").unread, 1U);
}

TEST(CgroupFiles, BeyondItsDescriptorsNothingStaysOpen) {
  const auto open_now = [] {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
    return n;
  };
  FileTree tree;
  tree.file("unified/cgroup.controllers", "");
  for (const char* name : {"a", "b"})
    tree.file(std::string("unified/") + name + "/cpu.stat", "user_usec 7\n")
        .file(std::string("memory/") + name + "/memory.usage_in_bytes", "4096\n")
        .file(std::string("pids/") + name + "/pids.current", "4\n");
  const auto source = CgroupFileSource::open_below(tree.root(), 3);
  const std::size_t before = open_now();
  std::uint64_t unread = 0;
  auto a = source->open("/a", unread);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read(*a).values[kMemory], 4096);
  EXPECT_EQ(open_now(), before + 1 + 3);
  const auto b = source->open("/b", unread);
  for (int i = 0; i < 3; ++i) {
    const Read all = read(*b);
    EXPECT_EQ(all.values[kCpuUser], 7000U);
    EXPECT_EQ(all.values[kMemory], 4096);
    EXPECT_EQ(all.values[kTasks], 4);
    EXPECT_EQ(all.unread, 0U);
  }
  EXPECT_EQ(open_now(), before + 2 + 3);
  a.reset();
  EXPECT_EQ(open_now(), before + 1);
  EXPECT_EQ(read(*b).values[kTasks], 4);
  EXPECT_GT(open_now(), before + 1) << "there is room again";
}

TEST(CgroupFiles, SettingsStayBetweenTheLooksAtThem) {
  FileTree tree;
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n").file("a/memory.max", "100\n");
  const auto source = CgroupFileSource::open_below(tree.root());
  std::uint64_t unread = 0;
  const auto cgroup = source->open("/a", unread);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read(*cgroup).values[kMemoryLimit], 100);
  tree.file("a/memory.max", "200\n");
  std::optional<double> limit;
  for (int i = 0; i < 6 && limit != 200; ++i) limit = read(*cgroup).values[kMemoryLimit];
  EXPECT_EQ(limit, 200);
}

TEST(CgroupFiles, NothingMakesItWait) {
  FileTree tree;
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n");
  ASSERT_EQ(::mkfifo((tree.root() + "/a/memory.current").c_str(), 0600), 0);
  EXPECT_TRUE(read(tree, "/a").there);
}

TEST(CgroupFiles, AControllerThatIsEnabledLaterIsFound) {
  FileTree tree;
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n");
  const auto source = CgroupFileSource::open_below(tree.root());
  std::uint64_t unread = 0;
  const auto cgroup = source->open("/a", unread);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(read(*cgroup).values[kTasks]);
  tree.file("a/pids.current", "4\n");
  std::optional<double> tasks;
  for (int i = 0; i < 31 && !tasks; ++i) tasks = read(*cgroup).values[kTasks];
  EXPECT_EQ(tasks, 4);
}

TEST(CgroupFiles, WithoutDescriptorsItIsCountedAndComesBack) {
  FileTree tree;
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n").file("a/pids.current", "4\n");
  const auto source = CgroupFileSource::open_below(tree.root());
  std::uint64_t unread = 0;
  (void)read(*source->open("/a", unread));  // UBSan opens a pipe when it sees a type for the first time
  const auto cgroup = source->open("/a", unread);
  const Read some = [&] {
    const FewDescriptors few(1);
    return read(*cgroup);
  }();
  EXPECT_TRUE(some.there);
  EXPECT_EQ(some.values[kCpuUser], 7000U);
  EXPECT_FALSE(some.values[kTasks]);
  EXPECT_GT(some.unread, 0U);
  const Read all = read(*cgroup);
  EXPECT_EQ(all.values[kTasks], 4);
  EXPECT_EQ(all.unread, 0U);
}

TEST(CgroupFiles, WithoutAnyDescriptorItIsNotGone) {
  FileTree tree;
  tree.file("cgroup.controllers", "").file("a/cpu.stat", "user_usec 7\n");
  const auto source = CgroupFileSource::open_below(tree.root(), 0);
  std::uint64_t unread = 0;
  (void)read(*source->open("/a", unread));  // UBSan opens a pipe when it sees a type for the first time
  const auto cgroup = source->open("/a", unread);
  const Read nothing = [&] {
    const FewDescriptors none(0);
    return read(*cgroup);
  }();
  EXPECT_TRUE(nothing.there);
  EXPECT_FALSE(nothing.values[kCpuUser]);
  EXPECT_GT(nothing.unread, 0U);
  EXPECT_EQ(read(*cgroup).values[kCpuUser], 7000U);
}

TEST(CgroupFiles, BesideV1TheControllersOfThatAreRead) {
  FileTree tree;
  tree.file("unified/cgroup.controllers", "")
      .file("unified/a/cpu.stat", "user_usec 7\n")
      .file("memory/a/memory.usage_in_bytes", "4096\n")
      .file("memory/a/memory.stat", "total_inactive_file 96\n")
      .file("pids/a/pids.current", "4\n")
      .file("cpu/a/cpu.cfs_quota_us", "50000\n")
      .file("cpu/a/cpu.cfs_period_us", "100000\n")
      .file("cpu/a/cpu.stat", "nr_periods 3\n")
      .file("memory/b/memory.usage_in_bytes", "8192\n");
  const Read all = read(tree, "/a");
  ASSERT_TRUE(all.there);
  EXPECT_EQ(all.values[kCpuUser], 7000U);
  EXPECT_EQ(all.values[kPeriods], 3U);
  EXPECT_EQ(all.values[kMemory], 4096);
  EXPECT_EQ(all.values[kWorkingSet], 4000);
  EXPECT_EQ(all.values[kTasks], 4);
  EXPECT_EQ(all.values[kCpuLimit], 0.5);
  EXPECT_FALSE(all.values.io) << "no blkio here";
  EXPECT_EQ(all.unread, 0U);
  EXPECT_FALSE(read(tree, "/b").there) << "v2 does not have it";
}

TEST(CgroupFiles, InV2ItselfAControllersNameIsACgroups) {
  FileTree tree;
  tree.file("cgroup.controllers", "")
      .file("a/cpu.stat", "user_usec 7\n")
      .file("memory/a/memory.usage_in_bytes", "4096\n");
  EXPECT_FALSE(read(tree, "/a").values[kMemory]);
}

}  // namespace
}  // namespace flowtap::telemetry
