// stress-ng's scheduler, cpu and fork stressors run through under our schedulers, and each dispatch is counted. This is
// only for virtual machines: the stressors change the priorities of all their processes and fill the memory.
#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "scheds/names.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/scheds/run.hpp"
#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

constexpr uid_t kNobody = 65534;
constexpr std::chrono::minutes kLongest{8};

// Stressors that do not run here, which stress-ng would only mention in passing, or that fail for a reason of their
// own.
const Words kLeftOut = {
    "exec",        // not as root: the test of the forking ones has it
    "spawn",       // the same
    "cpu-online",  // takes CPUs away, and each time the scheduler ends: hotplug_test.cpp tests that
    "ipsec-mb",    // fails on a CPU without AES instructions, like that of the virtual machine
    "opcode",      // random instructions: the emulator is wrong about some, and the kernel dies
    "pkey",        // that CPU has no protection keys
    "rdrand",      // and no random numbers
    "plugin",      // runs code that somebody else has written
    "rseq",        // needs a C library that does not use it itself
    "secretmem",   // needs a parameter of the kernel
    "smi",         // talks to a firmware that the machine does not have
    "uprobe",      // the second of two does not get the kernel's trace
};

// Before Linux 7 nothing reserves a part of each CPU for tasks of sched_ext, as the kernel does for its own. While
// these stressors keep all CPUs with SCHED_FIFO nobody else runs, not even the process that would end them.
const Words kKeepAllCpus = {"mutex", "softlockup"};
constexpr const char* kExtServer = "/sys/kernel/debug/sched/ext_server";

struct Outcome {
  std::optional<int> status;  ///< absent: it did not end
  std::string said;
};

Outcome stress_ng(Words words, scheds::Scheduler* scheduler = nullptr,
                  std::function<void()> before_exec = {}) {
  const ScratchRoot root;
  words.insert(words.begin(), "/usr/bin/stress-ng");
  Process process({.argv = std::move(words),
                   .out = root.file("out"),
                   .err = root.file("out"),
                   .before_exec = std::move(before_exec)});
  Outcome outcome;
  const auto limit = std::chrono::steady_clock::now() + kLongest;
  while (!outcome.status && std::chrono::steady_clock::now() < limit) {
    if (scheduler) scheduler->look_around();  // the loader does this each second
    outcome.status = process.wait(1s);
  }
  outcome.said = root.read("out");
  return outcome;
}

// The words after the last ": " of a line: "class 'cpu' stressors: af-alg atomic bsearch ..."
Words listed(const std::string& said) {
  std::istringstream words(said.substr(said.rfind(": ") + 1));
  return {std::istream_iterator<std::string>(words), {}};
}

void become_nobody() {
  if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(1);
}

class Stress : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    ASSERT_STREQ(std::getenv("FTAP_VM"), "1") << "vmtest/run runs this in a machine of its own";
  }

  // Expects that this many kinds of stressors run, and end well.
  static void run_through(const Words& words, std::size_t kinds,
                          const std::function<void()>& before_exec = {}) {
    Outcome outcome;
    const SchedulerRun run = run_scheduler(std::string(GetParam()), [&](scheds::Scheduler& scheduler) {
      outcome = stress_ng(words, &scheduler, before_exec);
    });
    std::printf("%s", outcome.said.c_str());
    ASSERT_TRUE(outcome.status) << "it does not end";
    EXPECT_EQ(*outcome.status, 0) << "tools/setup proof installs it";
    // "dispatching hogs: 2 affinity, 2 clone, ...": for stress-ng it is no failure if one cannot run; it is just not in
    // this line.
    const auto hogs = outcome.said.find("dispatching hogs: ");
    ASSERT_NE(hogs, std::string::npos);
    const auto end = outcome.said.begin() + static_cast<std::ptrdiff_t>(outcome.said.find('\n', hogs));
    EXPECT_EQ(std::count(outcome.said.begin() + static_cast<std::ptrdiff_t>(hogs), end, ',') + 1,
              static_cast<std::ptrdiff_t>(kinds))
        << "it has left out some: kLeftOut lacks a name";
    EXPECT_EQ(run.left_behind, "");
    EXPECT_EQ(run.sum(), run.others.switches);
    EXPECT_EQ(run.traced_sum(), 0U) << "the tracing programs leave the types to it";
  }

  // All stressors of a class, one after the other, two of each at once.
  static void run_class(const std::string& name) {
    Words all = listed(stress_ng({"--class", name + "?"}).said);
    Words unwanted = kLeftOut;
    if (!std::filesystem::exists(kExtServer))
      unwanted.insert(unwanted.end(), kKeepAllCpus.begin(), kKeepAllCpus.end());
    const auto known = std::ranges::partition(all, [&unwanted](const std::string& stressor) {
      return std::ranges::find(unwanted, stressor) != unwanted.end();
    });
    std::string left_out;  // stress-ng rejects a name that it does not know
    for (auto it = all.begin(); it != known.begin(); ++it) left_out += (left_out.empty() ? "" : ",") + *it;
    ASSERT_GT(known.size(), 20U) << "tools/setup proof installs stress-ng";
    // The kernel does not admit two of cyclic's default, SCHED_DEADLINE.
    run_through({"--sequential", "2", "--class", name, "--exclude", left_out, "--timeout", "1s",
                 "--cyclic-policy", "fifo", "--metrics-brief", "--temp-path", "/tmp"},
                known.size());
  }
};

TEST_P(Stress, SchedulerClass) {
  if (refused_here()) return;
  run_class("scheduler");
}

TEST_P(Stress, CpuClass) {
  if (refused_here()) return;
  run_class("cpu");
}

// There is no class for these: the stressors of the scheduler's class that make processes, all at once.
TEST_P(Stress, WhatForks) {
  if (refused_here()) return;
  const Words stressors = {"clone",   "daemon", "exec",      "fork", "pthread", "spawn",
                           "session", "vfork",  "vforkmany", "wait", "zombie"};
  Words words{"--timeout", "10s", "--metrics-brief", "--temp-path", "/tmp"};
  for (const std::string& stressor : stressors) words.insert(words.end(), {"--" + stressor, "2"});
  run_through(words, stressors.size(), become_nobody);
}

INSTANTIATE_TEST_SUITE_P(, Stress, testing::ValuesIn(scheds::kSchedulerNames),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace flowtap::test
