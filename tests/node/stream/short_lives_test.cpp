// Containers that live for a moment, hundreds of them a second. Each has its name and its bytes, and what is kept of them stays
// bounded.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <future>

#include "stream/store/file_name.hpp"
#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/swift_runtime.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

constexpr std::size_t kTogether = 64;

constexpr const char* kNamespace = "batch";  // no other test uses it

std::string pod_name(unsigned number) {
  return "job-" + std::to_string(number);
}
std::string flow_id(unsigned number) {
  return std::string("pod/") + kNamespace + "/" + pod_name(number) + "/" + kPod + "/main/0";
}

// Each one writes three lines of its own, every third of them on standard error.
std::vector<SwiftRuntime::Container> jobs(unsigned count) {
  std::vector<SwiftRuntime::Container> all;
  for (unsigned i = 0; i < count; ++i)
    all.push_back({.id = container_id(fmt::format("{:06}", i)),
                   .argv = {paths::log_writer(), "both", std::to_string(i * 3), "3"},
                   .annotations = cri_annotations(kNamespace, pod_name(i), kPod, "main"),
                   .log_directory = pod_log_directory(kNamespace, pod_name(i), kPod)});
  return all;
}
std::string out_of(unsigned number) {
  return writer_lines(number * 3 + 1, 2);
}
std::string err_of(unsigned number) {
  return writer_lines(number * 3, 1);
}

// Runs them as fast as this machine can, and prints how many a second these were.
void run(SwiftRuntime& runtime, const std::vector<SwiftRuntime::Container>& all, std::size_t together) {
  const auto begin = std::chrono::steady_clock::now();
  const auto lives = runtime.run(all, together);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{} containers, {:.0f} a second\n", all.size(), static_cast<double>(all.size()) / took.count());
  for (unsigned i = 0; i < all.size(); ++i) {
    ASSERT_EQ(lives[i].status, 0);
    ASSERT_EQ(lives[i].out, out_of(i));
    ASSERT_EQ(lives[i].err, err_of(i));
  }
}

// All flows of ours, once this many are there and all have ended.
std::vector<FlowSeen> ended_jobs(const Daemon& daemon, std::size_t count) {
  std::vector<FlowSeen> flows;
  EXPECT_TRUE(eventually([&] {
    flows = flows_of(daemon, std::string("?namespace=") + kNamespace);
    return flows.size() >= count && std::ranges::none_of(flows, &FlowSeen::open);
  }));
  return flows;
}

void expect_all(const Daemon& daemon, unsigned count) {
  std::map<std::string, FlowSeen> by_id;
  for (FlowSeen& flow : ended_jobs(daemon, count)) by_id.emplace(flow.id, std::move(flow));
  EXPECT_EQ(by_id.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    const auto at = by_id.find(flow_id(i));
    ASSERT_NE(at, by_id.end()) << flow_id(i);
    ASSERT_EQ(at->second.missing, 0U);
    ASSERT_EQ(at->second.bytes, out_of(i).size() + err_of(i).size());
    expect_stream(daemon, at->second, "stdout", out_of(i));
    expect_stream(daemon, at->second, "stderr", err_of(i));
    if (testing::Test::HasFailure()) return;  // one tells enough
  }
}

// Makes a job begin when `go` exists, or after a while, so that nothing waits for a test that has failed.
void begin_after(SwiftRuntime::Container& job, const std::string& go) {
  const std::string wait = "n=0; until [ -e " + go + " ] || [ $((n += 1)) -gt 1200 ]; do sleep 0.05; done; ";
  job.argv.insert(job.argv.begin(), {"/bin/sh", "-c", wait + "exec \"$@\"", "sh"});
}

// One in kFollowedOneIn lives until it is followed, amid the others.
TEST(ShortLives, HundredsASecondEachWithItsNameAndItsBytes) {
  constexpr unsigned kLives = 3000;  // all of these are kept
  constexpr unsigned kFollowedOneIn = 150;
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  SwiftRuntime runtime(root, kPod);
  auto all = jobs(kLives);
  const auto go = [&root](unsigned number) { return root.file("go" + std::to_string(number)); };
  for (unsigned i = 0; i < kLives; i += kFollowedOneIn) begin_after(all[i], go(i));
  std::deque<FollowedFlow> followed;
  auto follow = std::async(std::launch::async, [&] {
    for (unsigned i = 0; i < kLives; i += kFollowedOneIn) {
      followed.emplace_back(daemon, flow_id(i), "?pod=" + pod_name(i));
      std::ofstream(go(i)) << "";
    }
  });
  run(runtime, all, kTogether);
  follow.get();
  expect_all(daemon, kLives);
  for (unsigned i = 0; i < followed.size(); ++i)
    followed[i].expect(out_of(i * kFollowedOneIn), err_of(i * kFollowedOneIn));
  const Stats stats = daemon.settled_stats();
  EXPECT_EQ(stats.series.at("flowtap_log_refused_streams_total"), 0);
  EXPECT_EQ(stats.series.at("flowtap_flow_unnamed_bytes_total"), 0);
}

// When flowtapd gets to look, the bundles are gone, but kubelet's links are not.
TEST(ShortLives, OverBeforeFlowtapdCanLook) {
  constexpr unsigned kLives = 50;
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  SwiftRuntime runtime(root, kPod);
  daemon.signal(SIGSTOP);
  run(runtime, jobs(kLives), kTogether);
  EXPECT_FALSE(std::filesystem::exists(
      root.file("run/containerd/io.containerd.runtime.v2.task/k8s.io/" + jobs(1).front().id)));
  daemon.signal(SIGCONT);
  expect_all(daemon, kLives);
}

// The last 100 of 400 are kept, and nothing of the others.
TEST(ShortLives, OnlyTheLastAreKept) {
  constexpr unsigned kLives = 400;
  constexpr unsigned kKept = 100;
  const ScratchRoot root;
  DaemonOptions options = kCapturing;
  options.sources = "max_flows: " + std::to_string(kKept);
  Daemon daemon(root, options);
  daemon.wait_ready();
  SwiftRuntime runtime(root, kPod);
  run(runtime, jobs(kLives), 1);
  // Containers of the machine that this test knows nothing of may have taken the place of some.
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(daemon.state_dir() + "/flows"))
      if (entry.path().extension() == ".log") names.insert(entry.path().filename());
    return names;
  };
  const auto is_there = [](const std::set<std::string>& names, unsigned i) {
    return names.contains(flow::flow_file_name(flow_id(i)));
  };
  std::set<std::string> left;
  EXPECT_TRUE(eventually([&] {
    left = files();
    return left.size() <= kKept && is_there(left, kLives - 1);
  }));
  unsigned oldest = kLives;
  while (oldest > 0 && is_there(left, oldest - 1)) --oldest;
  EXPECT_LE(kLives - oldest, kKept);
  EXPECT_GT(kLives - oldest, kKept / 2);
  for (unsigned i = 0; i < oldest; ++i) EXPECT_FALSE(is_there(left, i)) << i;
  for (unsigned i = oldest; i < kLives; ++i)
    EXPECT_EQ(difference(log_text(daemon, flow_id(i), "stdout"), out_of(i)), "") << i;
  const Stats stats = daemon.settled_stats();
  EXPECT_GE(stats.series.at("flowtap_flows_evicted_total{reason=\"flows\"}"), oldest);
  EXPECT_EQ(stats.series.at("flowtap_flows_evicted_total{reason=\"store_bytes\"}"), 0);
}

}  // namespace
}  // namespace flowtap::test
