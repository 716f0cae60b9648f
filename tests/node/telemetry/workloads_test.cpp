// What containers used by flowtapd's account == what the kernel charged their cgroups with, under the pod's name, over their
// end and the next start.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/bpf/accounted.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers.hpp"
#include "tests/support/daemon.hpp"
#include "tests/support/swift_runtime.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kCpu = "flowtap_workload_cpu_seconds_total";

// It works for a while, says so, and stays.
std::vector<std::string> worker(unsigned rounds) {
  return shell(
      fmt::format("i=0; while [ $i -lt {} ]; do i=$((i + 1)); done; echo done; exec sleep 1000", rounds));
}

Labels of_pod(const std::string& pod, const std::string& container, const std::string& workload) {
  return {
      {"kind", "pod"}, {"namespace", "shop"}, {"pod", pod}, {"container", container}, {"workload", workload}};
}

double value(const Stats& stats, const char* family, const Labels& labels) {
  const auto at = stats.series.find(series_key(family, labels));
  return at == stats.series.end() ? -1 : at->second;
}

// Where the cgroup (v2) of a process is.
std::string cgroup_of(pid_t pid) {
  std::ifstream lines("/proc/" + std::to_string(pid) + "/cgroup");
  std::string path;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::")) path = line.substr(3);
  std::ifstream mounts("/proc/self/mounts");
  std::string device;
  std::string place;
  std::string type;
  for (std::string rest; mounts >> device >> place >> type && std::getline(mounts, rest);)
    if (type == "cgroup2") return place + path;
  ADD_FAILURE() << "no cgroup v2 hierarchy is mounted";
  return {};
}

// Of a container that has been asleep for more than a cycle.
void expect_charged(const Daemon& daemon, pid_t pid, const Labels& labels) {
  const std::string cgroup = cgroup_of(pid);
  double ours = -1;
  double kernels = 0;
  EXPECT_TRUE(eventually([&] {
    kernels = static_cast<double>(charged_ns(cgroup)) * 1e-9;
    ours = value(daemon.settled_stats(), kCpu, labels);
    return ours > 0.98 * kernels;
  }));
  fmt::print("{}: the kernel charged {:.6f} s, we counted {:.6f} s\n", cgroup, kernels, ours);
  EXPECT_NEAR(ours, kernels, 0.01 * kernels) << daemon.metrics();
}

TEST(Workloads, APodsContainerIsWhatTheKernelChargedOverItsRestart) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string pod = "web-5d69c7f9c9-x7x2b";
  const Labels labels = of_pod(pod, "app", "web");
  double before = 0;
  for (const char* instance : {"worker-a", "worker-b"}) {
    const std::string id = container_id(instance);
    const auto container = containerd.start(
        {.id = id, .command = worker(100'000), .annotations = cri_annotations("shop", pod, kPod, "app")});
    ASSERT_TRUE(eventually([&] { return containerd.out(id) == "done\n"; }));
    if (before == 0) expect_charged(daemon, containerd.pid(id), labels);
    const double charged = static_cast<double>(charged_ns(cgroup_of(containerd.pid(id)))) * 1e-9;
    EXPECT_TRUE(
        eventually([&] { return value(daemon.settled_stats(), kCpu, labels) >= before + 0.99 * charged; }));
    containerd.kill(id);
    ASSERT_TRUE(container->wait());
    const double after = value(daemon.settled_stats(), kCpu, labels);
    EXPECT_GE(after, before + 0.99 * charged) << "it stays when it has ended";
    before = after;
  }
  EXPECT_EQ(daemon.scrape().all.count(series_key(kCpu, labels)), 1U);
}

TEST(Workloads, PodmansContainerIsCalledAsPodmanCallsIt) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = podman.start({.name = "burner", .command = worker(100'000)});
  ASSERT_TRUE(eventually([&] { return podman.log(id).contains("done"); }));
  expect_charged(
      daemon, podman.pid("burner"),
      {{"kind", "container"}, {"namespace", ""}, {"pod", ""}, {"container", "burner"}, {"workload", ""}});
  podman.kill("burner");
}

TEST(Workloads, ContainersThatLiveForAMomentHaveTheirNames) {
  constexpr unsigned kLives = 300;
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  SwiftRuntime runtime(root, kPod);
  std::vector<SwiftRuntime::Container> all;
  const auto pod = [](unsigned i) { return "moment-" + std::to_string(i); };
  for (unsigned i = 0; i < kLives; ++i)
    all.push_back({.id = container_id(fmt::format("{:06}", i)),
                   .argv = {"/bin/true"},
                   .annotations = cri_annotations("shop", pod(i), kPod, "main"),
                   .log_directory = pod_log_directory("shop", pod(i), kPod)});
  const auto begin = std::chrono::steady_clock::now();
  (void)runtime.run(all, 32);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  unsigned named = 0;
  Stats stats;
  EXPECT_TRUE(eventually([&] {
    stats = daemon.settled_stats();
    named = 0;
    for (unsigned i = 0; i < kLives; ++i)
      named += value(stats, kCpu, of_pod(pod(i), "main", "moment")) > 0 ? 1 : 0;
    return named == kLives;
  })) << named;
  double sum = 0;
  for (unsigned i = 0; i < kLives; ++i) sum += value(stats, kCpu, of_pod(pod(i), "main", "moment"));
  fmt::print("{} containers, {:.0f} a second: {} have their names, {:.3f} s of CPU in all\n", kLives,
             kLives / took.count(), named, sum);
  EXPECT_EQ(value(stats, "flowtap_read_errors_total", {{"what", "workloads"}}), 0);
}

}  // namespace
}  // namespace flowtap::test
