#include "daemon/stream/running_containers.hpp"

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

TEST(RunningContainers, ItsFirstProcessAndNotWhoJoinedLater) {
  const auto found =
      find_running_containers({output(30, 1, 300, 7), output(10, 1, 100, 7), output(20, 1, 200, 7),
                               reader(5, 100, 0), reader(5, 200, 0), reader(5, 300, 0)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 10U);
  EXPECT_EQ(found[0].outputs[0].inode, 100U);
}

TEST(RunningContainers, NothingInTheRootCgroupAndNobodyWhoSharesItsParentsMounts) {
  OpenFile shared = output(10, 1, 100, 7);
  shared.enters_container = false;
  EXPECT_TRUE(
      find_running_containers({shared, output(11, 1, 101, 0), reader(5, 100, 0), reader(5, 101, 1)}).empty());
}

}  // namespace
}  // namespace flowtap
