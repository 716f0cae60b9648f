#include "stream/sources/running_containers.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

using kernel::OpenFile;

OpenFile output(std::uint32_t pid, std::uint32_t fd, std::uint64_t inode, std::uint64_t cgroup) {
  return {.inode = inode,
          .device = 15,
          .pid = pid,
          .fd = fd,
          .kind = FTAP_KIND_PIPE,
          .readable = false,
          .writable = true,
          .cgroup = cgroup,
          .start_time = pid,
          .enters_container = true};
}

OpenFile reader(std::uint32_t pid, std::uint64_t inode, std::uint64_t cgroup) {
  OpenFile file = output(pid, 9, inode, cgroup);
  file.readable = true;
  file.writable = false;
  file.enters_container = false;
  return file;
}

TEST(RunningContainers, ThePipesThatARuntimeReads) {
  const auto found = find_running_containers(
      {output(10, 1, 100, 7), output(10, 2, 101, 7), reader(5, 100, 0), reader(5, 101, 0)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 10U);
  EXPECT_EQ(found[0].cgroup, 7U);
  EXPECT_EQ(found[0].outputs[0].inode, 100U);
  EXPECT_EQ(found[0].outputs[0].kind, FTAP_KIND_PIPE);
  EXPECT_EQ(found[0].outputs[1].inode, 101U);
}

TEST(RunningContainers, APipeBetweenItsOwnProcessesIsNoLog) {
  const auto found = find_running_containers({output(10, 1, 100, 7), reader(11, 100, 7)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outputs[0].kind, FTAP_KIND_OTHER);
}

// `exec > >(tee log) 2>&1`: both outputs go to tee, which has what they were.
TEST(RunningContainers, WhatItsOwnProgramPassesOnIsItsLog) {
  OpenFile tee_out = output(11, 1, 200, 7);
  OpenFile tee_err = output(11, 2, 201, 7);
  OpenFile shell_out = output(12, 1, 300, 7);  // somebody's who looks in a minute later
  shell_out.start_time += 60'000'000'000;
  for (OpenFile* file : {&tee_out, &tee_err, &shell_out}) file->enters_container = false;
  std::vector<OpenFile> files = {
      output(10, 1, 100, 7), output(10, 2, 100, 7), reader(11, 100, 7), shell_out, tee_out, tee_err,
      reader(5, 200, 0),     reader(5, 201, 0),     reader(5, 300, 0)};
  const auto found = find_running_containers(files);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 10U);
  EXPECT_EQ(found[0].outputs[0].kind, FTAP_KIND_PIPE);
  EXPECT_EQ(found[0].outputs[0].inode, 200U);
  EXPECT_EQ(found[0].outputs[1].inode, 201U);
  std::erase_if(files, [](const OpenFile& file) { return file.pid == 11 && !file.readable; });
  EXPECT_EQ(find_running_containers(files)[0].outputs[0].kind, FTAP_KIND_OTHER) << "and a shell's is not";
}

TEST(RunningContainers, ItsFirstProcessAndNotWhoJoinedLater) {
  const auto found =
      find_running_containers({output(30, 1, 300, 7), output(10, 1, 100, 7), output(20, 1, 200, 7),
                               reader(5, 100, 0), reader(5, 200, 0), reader(5, 300, 0)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 10U);
  EXPECT_EQ(found[0].outputs[0].inode, 100U);
}

TEST(RunningContainers, WhoJoinsItInACgroupBelowIsNotAnother) {
  OpenFile first = output(10, 1, 100, 7);
  OpenFile shell = output(20, 1, 200, 8);
  OpenFile inner = output(30, 1, 300, 9);
  first.mounts = shell.mounts = 4026531841;
  inner.mounts = 4026531842;
  shell.cgroups_above = inner.cgroups_above = {7};
  inner.parent_cgroup = 8;  // the shell's
  const auto found =
      find_running_containers({inner, shell, first, reader(5, 100, 0), reader(5, 200, 0), reader(5, 300, 0)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].pid, 10U);
  EXPECT_EQ(found[0].mounts, 4026531841U);
  EXPECT_FALSE(found[0].nested);
  EXPECT_EQ(found[1].pid, 30U);
  EXPECT_TRUE(found[1].nested);
  inner.parent_cgroup = 0;
  EXPECT_FALSE(find_running_containers({inner, first})[1].nested) << "put there from outside";
}

TEST(RunningContainers, NothingInTheRootCgroupAndNobodyWhoSharesItsParentsMounts) {
  OpenFile shared = output(10, 1, 100, 7);
  shared.enters_container = false;
  EXPECT_TRUE(
      find_running_containers({shared, output(11, 1, 101, 0), reader(5, 100, 0), reader(5, 101, 1)}).empty());
}

}  // namespace
}  // namespace flowtap
