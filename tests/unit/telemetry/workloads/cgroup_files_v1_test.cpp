// Directories that look like the v1 hierarchies, where cpuacct's tells which cgroups exist.
#include <gtest/gtest.h>

#include "telemetry/workloads/files/cgroup_files.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/workloads/cgroup_read.hpp"

namespace flowtap::telemetry {
namespace {

using enum CgroupCounter;
using enum CgroupGauge;
using flowtap::test::FileTree;
using test::Read;
using test::read;

Read read(const FileTree& tree, const std::string& path, const std::string& cpuacct = "/cpuacct") {
  return test::read_of(CgroupFileSource::open_v1(tree.root(), tree.root() + cpuacct), path);
}

TEST(CgroupFilesOfV1, CpuTimeIsThereAndTheRestWhereItsControllersAre) {
  FileTree tree;
  tree.file("cpuacct/a/cpuacct.stat", "user 7\nsystem 8\n")
      .file("cpuacct/a/cgroup.procs", "41\n42\n")
      .file("memory/a/memory.usage_in_bytes", "4096\n")
      .file("memory/a/memory.stat", "total_inactive_file 96\n")
      .file("pids/a/pids.current", "4\n")
      .file("cpu/a/cpu.cfs_quota_us", "50000\n")
      .file("cpu/a/cpu.cfs_period_us", "100000\n")
      .file("cpu/a/cpu.stat", "nr_periods 3\n");
  const Read all = read(tree, "/a");
  ASSERT_TRUE(all.there);
  EXPECT_EQ(all.values[kCpuUser], 70'000'000U);
  EXPECT_EQ(all.values[kCpuSystem], 80'000'000U);
  EXPECT_EQ(all.values[kPeriods], 3U);
  EXPECT_EQ(all.values[kCpuLimit], 0.5);
  EXPECT_EQ(all.values[kMemory], 4096);
  EXPECT_EQ(all.values[kWorkingSet], 4000);
  EXPECT_EQ(all.values[kTasks], 4);
  EXPECT_EQ(all.values[kProcesses], 2);
  EXPECT_EQ(all.values[kFirstPid], 41);
  EXPECT_FALSE(all.values[kCpuWaiting]) << "v1 has no pressure";
  EXPECT_FALSE(all.values.io) << "no blkio here";
  EXPECT_EQ(all.unread, 0U);
}

TEST(CgroupFilesOfV1, WhatCpuacctDoesNotHaveIsNotThere) {
  FileTree tree;
  tree.file("cpuacct/b/cpuacct.stat", "user 7\nsystem 8\n")
      .file("unified/cgroup.controllers", "")
      .file("unified/a/cpu.stat", "user_usec 7\n")
      .file("memory/a/memory.usage_in_bytes", "4096\n");
  EXPECT_FALSE(read(tree, "/a").there);
  const Read alone = read(tree, "/b");
  EXPECT_TRUE(alone.there);
  EXPECT_FALSE(alone.values[kMemory]);
  EXPECT_FALSE(alone.values[kTasks]);
  EXPECT_FALSE(CgroupFileSource::open_v1(tree.root(), tree.root() + "/cpu,cpuacct"));
}

TEST(CgroupFilesOfV1, WithoutLinksOneDirectoryHasBoth) {
  FileTree tree;
  tree.file("cpu,cpuacct/a/cpuacct.stat", "user 7\nsystem 8\n")
      .file("cpu,cpuacct/a/cpu.stat", "nr_periods 3\n");
  const Read all = read(tree, "/a", "/cpu,cpuacct");
  ASSERT_TRUE(all.there);
  EXPECT_EQ(all.values[kCpuUser], 70'000'000U);
  EXPECT_EQ(all.values[kPeriods], 3U);
}

TEST(CgroupFilesOfV1, ProcessesOfCgroupsBelowAreItsOwn) {
  FileTree tree;
  tree.file("cpuacct/a/cpuacct.stat", "user 7\nsystem 8\n")
      .file("cpuacct/a/cgroup.procs", "")
      .file("cpuacct/a/init.scope/cgroup.procs", "43\n");
  const Read all = read(tree, "/a");
  EXPECT_EQ(all.values[kProcesses], 1);
  EXPECT_EQ(all.values[kFirstPid], 43);
}

}  // namespace
}  // namespace flowtap::telemetry
