// Two accounts of what a cgroup's tasks used: ours, and the kernel's.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "kernel/dispatch/dispatch_programs.hpp"
#include "tests/support/containers/cgroup.hpp"

namespace flowtap::test {

inline void spin(std::chrono::microseconds time) {
  timespec begin{};
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (std::chrono::seconds(now.tv_sec - begin.tv_sec) +
               std::chrono::nanoseconds(now.tv_nsec - begin.tv_nsec) <
           time);
}

/// Runs processes one after the other, each of which spins for a millisecond.
inline void fork_often(int times) {
  for (int i = 0; i < times; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      spin(std::chrono::milliseconds(1));
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
}

/// Starts a task of the cgroup that spins for that long, from its first instruction in there to its end.
inline void spin_in(const ScratchCgroup& cgroup, std::chrono::microseconds time) {
  const pid_t child = ::fork();
  if (child == 0) {
    cgroup.join();
    spin(time);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

// `hierarchy` is that of kernel::Accounting.
inline kernel::DispatchLive attach_usage(std::uint32_t groups = 1024,
                                         std::shared_ptr<const kernel::CycleCounters> counters = nullptr,
                                         std::uint32_t hierarchy = 0) {
  auto opened = kernel::DispatchOpened::open(kernel::read_topology("/sys").value());
  EXPECT_TRUE(opened && opened->account_usage(groups, hierarchy));
  if (counters) {
    EXPECT_TRUE(opened->account_cycles(std::move(counters)));
  }
  auto loaded = std::move(*opened).load();
  EXPECT_TRUE(loaded) << loaded.error().what;
  auto live = std::move(*loaded).attach();
  EXPECT_TRUE(live) << live.error().what;
  return std::move(*live);
}

// The kernel's own account of a cgroup, in ns cut to µs.
inline std::uint64_t charged_ns(const std::string& cgroup) {
  std::ifstream stat(cgroup + "/cpu.stat");
  std::string key;
  std::uint64_t value = 0;
  while (stat >> key >> value)
    if (key == "usage_usec") return value * 1000;
  ADD_FAILURE() << "no usage_usec in " << cgroup;
  return 0;
}

// The same for a cgroup in v1's hierarchy with cpuacct, not cut.
inline std::uint64_t charged_ns_v1(const std::string& cgroup) {
  std::ifstream usage(cgroup + "/cpuacct.usage");
  std::uint64_t value = 0;
  if (!(usage >> value)) ADD_FAILURE() << "no cpuacct.usage in " << cgroup;
  return value;
}

}  // namespace flowtap::test
