// What the kernel answers when a cgroup is removed while its files are open, and another is made at its path.
#include "telemetry/workloads/cgroup_files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include "tests/support/cgroup.hpp"

namespace flowtap::telemetry {
namespace {

using test::ScratchCgroup;

std::unique_ptr<CgroupFileSource> source() {
  return CgroupFileSource::open_below("/sys/fs/cgroup");
}

// From the hierarchy's root.
std::string path_of(const ScratchCgroup& cgroup) {
  return cgroup.path().substr(cgroup.path().find("/flowtap-test"));
}

TEST(CgroupFilesOfTheKernel, AnEndIsSeenAndIsNoError) {
  const auto files = source();
  ASSERT_TRUE(files);
  auto first = std::make_unique<ScratchCgroup>();
  const std::string path = path_of(*first);
  std::uint64_t unread = 0;
  const auto cgroup = files->open(path, unread);
  ASSERT_TRUE(cgroup);
  CgroupValues values;
  EXPECT_TRUE(cgroup->read(values, unread));
  EXPECT_EQ(values[CgroupCounter::kCpuUser], 0U);
  first.reset();
  EXPECT_FALSE(cgroup->read(values, unread));
  EXPECT_FALSE(files->open(path, unread));

  const ScratchCgroup second;
  EXPECT_FALSE(cgroup->read(values, unread)) << "it is another one";
  const auto other = files->open(path, unread);
  ASSERT_TRUE(other);
  values = {};
  EXPECT_TRUE(other->read(values, unread));
  EXPECT_EQ(unread, 0U);
}

TEST(CgroupFilesOfTheKernel, WhatOneCosts) {
  constexpr std::size_t kCgroups = 500;
  const auto files = source();
  ASSERT_TRUE(files);
  std::vector<std::unique_ptr<ScratchCgroup>> all;
  std::vector<std::unique_ptr<OpenCgroup>> open;
  std::uint64_t unread = 0;
  // What the thread itself used, whoever else is busy here.
  const auto used = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto us = [](std::chrono::nanoseconds took) {
    return std::chrono::duration<double, std::micro>(took).count() / static_cast<double>(kCgroups);
  };
  for (std::size_t i = 0; i < kCgroups; ++i)
    all.push_back(std::make_unique<ScratchCgroup>("flowtap-test-many-" + std::to_string(i)));
  const auto began = used();
  for (const auto& cgroup : all) {
    open.push_back(files->open(path_of(*cgroup), unread));
    CgroupValues values;
    ASSERT_TRUE(open.back() && open.back()->read(values, unread));
  }
  const auto opened = used();
  CgroupValues values;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round)
    for (const auto& cgroup : open) {
      values = {};
      ASSERT_TRUE(cgroup->read(values, unread));
    }
  const auto read = used();
  std::printf("%zu cgroups: %.1f us each to open and read, %.1f us to read again\n", kCgroups,
              us(opened - began), us(read - opened) / kRounds);
  EXPECT_EQ(unread, 0U);
}

}  // namespace
}  // namespace flowtap::telemetry
