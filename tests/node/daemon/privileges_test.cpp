// What flowtapd may still do once it runs.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/node/daemon/surroundings.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/flows/flows.hpp"

namespace flowtap::test {
namespace {

constexpr std::uint64_t bit(unsigned capability) {
  return std::uint64_t{1} << capability;
}
constexpr std::uint64_t kCounting = bit(CAP_BPF) | bit(CAP_PERFMON) | bit(CAP_SYS_NICE) | bit(CAP_CHOWN);
constexpr const char* kNoTelemetry = "telemetry: {enabled: false}\n";

std::map<std::string, std::string> read_status(const std::string& path) {
  std::map<std::string, std::string> status;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(":\t");
    if (colon != std::string::npos) status[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return status;
}

// This holds for every thread: each has capabilities of its own, and one that keeps them all is enough for an attacker.
void expect_only(const Daemon& daemon, std::uint64_t capabilities) {
  std::size_t threads = 0;
  const std::string tasks = "/proc/" + std::to_string(daemon.pid()) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    const auto status = read_status(task.path() / "status");
    SCOPED_TRACE("thread " + status.at("Name") + " " + task.path().filename().string());
    EXPECT_EQ(std::stoull(status.at("CapEff"), nullptr, 16), capabilities);
    EXPECT_EQ(std::stoull(status.at("CapPrm"), nullptr, 16), capabilities);
    EXPECT_EQ(std::stoull(status.at("CapInh"), nullptr, 16), 0U);
    EXPECT_EQ(std::stoull(status.at("CapAmb"), nullptr, 16), 0U);
    EXPECT_EQ(status.at("NoNewPrivs"), "1");
    EXPECT_EQ(status.at("Seccomp"), "2") << "a filter";
    ++threads;
  }
  EXPECT_GE(threads, 2U);
  EXPECT_TRUE(daemon.component("seccomp")->up) << daemon.component("seccomp")->detail;
}

TEST(Privileges, CountingNeedsBpfAndTheGroupOfItsSocket) {
  const ScratchRoot root;
  Daemon daemon(root, {.config = kNoTelemetry, .prometheus = std::nullopt});
  daemon.wait_ready();
  expect_only(daemon, kCounting);
}

TEST(Privileges, MeasuringNeedsTheRuntimesDirectoriesAndOpenFiles) {
  const ScratchRoot root;
  Daemon daemon(root, {.prometheus = std::nullopt});
  daemon.wait_ready();
  expect_only(daemon, kCounting | bit(CAP_DAC_READ_SEARCH) | bit(CAP_SYS_PTRACE));
}

TEST(Privileges, ServingMetricsNeedsALowPort) {
  const ScratchRoot root;
  Daemon daemon(root, {.config = kNoTelemetry});
  daemon.wait_ready();
  expect_only(daemon, kCounting | bit(CAP_NET_BIND_SERVICE));
}

TEST(Privileges, SendingNeedsSocketsOfOtherUsers) {
  const ScratchRoot root;
  Daemon daemon(
      root,
      {.flags = {"--json-lines", root.file("lines")}, .config = kNoTelemetry, .prometheus = std::nullopt});
  daemon.wait_ready();
  expect_only(daemon, kCounting | bit(CAP_DAC_OVERRIDE));
}

// It stands for CAP_BPF and CAP_PERFMON, and goes with all else once flowtapd runs: nothing may need it after that.
TEST(Privileges, SysAdminAloneIsEnoughForAll) {
  const ScratchRoot root;
  std::filesystem::create_directory(root.file("log"));
  Daemon daemon(
      root,
      {.stream = true, .sources = "files: [/log/x.log]", .before_exec = only_capabilities({CAP_SYS_ADMIN})});
  daemon.wait_ready();
  expect_only(daemon, 0);
  const std::string text = writer_lines(0, 100);
  std::ofstream(root.file("log/x.log")) << text << std::flush;
  EXPECT_TRUE(eventually([&] {
    try {
      return raw_bytes(daemon, "file/log/x.log") == text;
    } catch (const std::exception&) {
      return false;  // not listed yet
    }
  })) << daemon.err();
  for (const char* name : {"api", "count", "explain", "prometheus", "seccomp", "stream", "telemetry"}) {
    const auto component = daemon.component(name);
    ASSERT_TRUE(component) << name;
    EXPECT_TRUE(component->up) << name << ": " << component->detail;
  }
  EXPECT_EQ(daemon.err().find("error: "), std::string::npos) << daemon.err();
  EXPECT_GT(sum_of(daemon.settled_stats().series, "flowtap_workload_cpu_seconds_total"), 0)
      << "workloads are told apart";
}

// What it could only get with the right that is gone says so.
TEST(Privileges, WhatSysAdminAloneCannotSwitchOnLater) {
  const ScratchRoot root;
  Daemon daemon(root,
                {.config = "count: {enabled: false}\n", .before_exec = only_capabilities({CAP_SYS_ADMIN})});
  daemon.wait_ready();
  root.write("flowtap.yaml", "stream: {enabled: false}\n");
  daemon.signal(SIGHUP);
  ASSERT_TRUE(eventually([&] { return daemon.component("count").has_value(); })) << daemon.err();
  const auto count = daemon.component("count");
  EXPECT_FALSE(count->up);
  EXPECT_NE(count->detail.find("CAP_BPF and CAP_PERFMON"), std::string::npos) << count->detail;
  EXPECT_NE(count->hint.find("start flowtapd again"), std::string::npos) << count->hint;
}

}  // namespace
}  // namespace flowtap::test
