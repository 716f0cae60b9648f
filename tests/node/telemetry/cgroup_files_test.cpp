// What the kernel answers when a cgroup is removed while its files are open, and another is made at its path.
#include "telemetry/workloads/files/cgroup_files.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include "tests/support/containers/cgroup.hpp"
#include "tests/support/containers/v1_hierarchy.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::telemetry {
namespace {

using test::ScratchCgroup;

std::unique_ptr<CgroupFileSource> source() {
  return CgroupFileSource::open_below("/sys/fs/cgroup");
}

// The path from the hierarchy's root.
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

// crun, and a systemd in a container, put processes there.
TEST(CgroupFilesOfTheKernel, ProcessesBelowAreItsOwn) {
  const std::string top = "/flowtap-test-inner-" + std::to_string(::getpid());
  const ScratchCgroup inner(top.substr(1) + "/container/init.scope");
  const pid_t pid = ::fork();
  if (pid == 0) {
    inner.join();
    while (true) ::pause();
  }
  ASSERT_TRUE(test::eventually([&] { return !inner.tasks().empty(); }));
  const auto files = source();
  ASSERT_TRUE(files);
  std::uint64_t unread = 0;
  const auto cgroup = files->open(top, unread);
  ASSERT_TRUE(cgroup);
  // This holds at looks and between them.
  for (int i = 0; i < 8; ++i) {
    CgroupValues values;
    EXPECT_TRUE(cgroup->read(values, unread));
    EXPECT_EQ(values[CgroupGauge::kProcesses], 1);
    EXPECT_EQ(values[CgroupGauge::kFirstPid], pid);
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  CgroupValues values;
  EXPECT_TRUE(cgroup->read(values, unread));
  EXPECT_EQ(values[CgroupGauge::kProcesses], 0);
  EXPECT_FALSE(values[CgroupGauge::kFirstPid]);
  EXPECT_EQ(unread, 0U);
}

// In v1 the kernel keeps a list of processes, and shows it to whoever reads an open file again soon.
TEST(CgroupFilesOfTheKernel, InV1ProcessesAreThoseOfNowAndAnEndIsSeen) {
  const test::V1Hierarchy cpuacct("cpuacct");
  const std::string path = "flowtap-test-v1-" + std::to_string(::getpid());
  auto made = std::make_unique<ScratchCgroup>(path, cpuacct.path());
  const auto files = CgroupFileSource::open_v1("/sys/fs/cgroup", cpuacct.path());
  ASSERT_TRUE(files);
  std::uint64_t unread = 0;
  const auto cgroup = files->open("/" + path, unread);
  ASSERT_TRUE(cgroup);
  const auto processes = [&] {
    CgroupValues values;
    EXPECT_TRUE(cgroup->read(values, unread));
    return values[CgroupGauge::kProcesses];
  };
  EXPECT_EQ(processes(), 0);
  std::vector<pid_t> all;
  for (int i = 1; i <= 3; ++i) {
    std::array<int, 2> joined{};
    ASSERT_EQ(::pipe(joined.data()), 0);
    all.push_back(::fork());
    if (all.back() == 0) {
      made->join();
      ::close(joined[0]);
      ::close(joined[1]);
      while (true) ::pause();
    }
    ::close(joined[1]);
    char none = 0;
    EXPECT_EQ(::read(joined[0], &none, 1), 0);
    ::close(joined[0]);
    EXPECT_EQ(processes(), i);
  }
  for (const pid_t pid : all) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  EXPECT_EQ(processes(), 0);
  made.reset();
  CgroupValues values;
  EXPECT_FALSE(cgroup->read(values, unread));
  const ScratchCgroup second(path, cpuacct.path());
  EXPECT_FALSE(cgroup->read(values, unread)) << "it is another one";
  EXPECT_EQ(unread, 0U);
}

// `below`: each one has a cgroup of its own there.
void print_costs(const std::string& below) {
  constexpr std::size_t kCgroups = 500;
  const auto files = source();
  ASSERT_TRUE(files);
  std::vector<std::unique_ptr<ScratchCgroup>> all;
  std::vector<std::unique_ptr<OpenCgroup>> open;
  std::uint64_t unread = 0;
  // What the thread itself used, whatever else is busy here.
  const auto used = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto us = [](std::chrono::nanoseconds took) {
    return std::chrono::duration<double, std::micro>(took).count() / static_cast<double>(kCgroups);
  };
  for (std::size_t i = 0; i < kCgroups; ++i)
    all.push_back(std::make_unique<ScratchCgroup>("flowtap-test-many-" + std::to_string(i) + below));
  const auto began = used();
  for (const auto& cgroup : all) {
    const std::string path = path_of(*cgroup);
    open.push_back(files->open(path.substr(0, path.size() - below.size()), unread));
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
  std::printf("%zu cgroups%s: %.1f us each to open and read, %.1f us to read again\n", kCgroups,
              below.empty() ? "" : " with one below", us(opened - began), us(read - opened) / kRounds);
  EXPECT_EQ(unread, 0U);
}

TEST(CgroupFilesOfTheKernel, WhatOneCosts) {
  // Each cgroup has several files open, and a shell may have set 1024.
  constexpr rlim_t kEnough = 8192;
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = std::max(files.rlim_cur, kEnough);
  files.rlim_max = std::max(files.rlim_max, kEnough);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  print_costs("");
  print_costs("/container");
}

}  // namespace
}  // namespace flowtap::telemetry
