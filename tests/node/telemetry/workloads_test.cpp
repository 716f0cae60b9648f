// What containers used by flowtapd's account == what the kernel charged their cgroups with, under the pod's name, over their end
// and the next start.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "tests/bpf/accounted.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/node/telemetry/in_v1.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/swift_runtime.hpp"
#include "tests/support/daemon/daemon.hpp"

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

// The directory of a process's cgroup (v2).
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

// For a container that has been asleep for more than a cycle.
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

// What a file of a cgroup has behind a key, or alone if there is no key. Absent: there is no such file.
std::optional<double> in_file(const std::string& path, const std::string& key = {}) {
  std::ifstream file(path);
  std::string word;
  double number = 0;
  if (key.empty()) return file >> number ? std::optional(number) : std::nullopt;
  while (file >> word >> number)
    if (word == key) return number;
  return std::nullopt;
}

// What is in `first` if the kernel has that file, and otherwise in `second`.
struct Said {
  const char* family;
  std::string first;
  std::string first_key;
  std::string second;
  std::string second_key;
  double scale = 1;

  [[nodiscard]] std::optional<double> now() const {
    auto number = in_file(first, first_key);
    if (!number && !second.empty()) number = in_file(second, second_key);
    if (number) *number *= scale;
    return number;
  }
};

// Beside this cgroup of v2, if its hierarchy is not the only one.
InV1 beside(const std::string& v2) {
  static constexpr std::string_view kUnified = "/unified/";
  const auto at = v2.find(kUnified);
  if (at == std::string::npos) return {{}, ""};
  return {{"memory", "pids"}, v2.substr(at + kUnified.size()), v2.substr(0, at)};
}

// Each value lies between what the file said before and after. A container at rest changes little.
TEST(Workloads, TheFilesOfAContainersCgroupAreReadAsTheyStand) {
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string id = container_id("at-rest");
  // It holds some memory. Some of it came after the process was put into its memory cgroup.
  const auto container =
      containerd.start({.id = id,
                        .command = shell("while [ ! -e /go ]; do sleep 0.1; done; "
                                         "x=$(head -c 4000000 /dev/zero | tr '\\0' x); echo done; "
                                         "while [ ! -e /never ]; do sleep 1000; done"),
                        .annotations = cri_annotations("shop", "still-0", kPod, "app")});
  const pid_t pid = containerd.pid(id);
  const std::string cgroup = cgroup_of(pid);
  const InV1 v1 = beside(cgroup);
  v1.add(pid);
  const auto go = std::filesystem::path("/proc") / std::to_string(pid) / "root/go";
  std::ofstream(go) << std::flush;
  ASSERT_TRUE(eventually([&] { return containerd.out(id) == "done\n"; }));
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const Labels labels = of_pod("still-0", "app", "still");
  const std::vector<Said> all{
      {"flowtap_workload_cpu_user_seconds_total", cgroup + "/cpu.stat", "user_usec", "", "", 1e-6},
      {"flowtap_workload_cpu_system_seconds_total", cgroup + "/cpu.stat", "system_usec", "", "", 1e-6},
      {"flowtap_workload_memory_usage_bytes", cgroup + "/memory.current", "",
       v1.file("memory", "memory.usage_in_bytes"), ""},
      {"flowtap_workload_memory_anonymous_bytes", cgroup + "/memory.stat", "anon",
       v1.file("memory", "memory.stat"), "total_rss"},
      {"flowtap_workload_page_faults_total", cgroup + "/memory.stat", "pgfault",
       v1.file("memory", "memory.stat"), "total_pgfault"},
      {"flowtap_workload_tasks", cgroup + "/pids.current", "", v1.file("pids", "pids.current"), ""}};
  std::vector<const Said*> open;  // those that were not yet within what the file said before and after
  Stats ours = daemon.settled_stats();
  for (const Said& said : all) {
    if (said.now()) {
      open.push_back(&said);
      continue;
    }
    fmt::print("{}: the kernel does not tell here\n", said.family);
    EXPECT_EQ(value(ours, said.family, labels), -1);
  }
  EXPECT_GE(open.size(), 2U) << "CPU time is told without any controller";
  std::string last_seen;
  EXPECT_TRUE(eventually([&] {
    std::vector<double> before;
    for (const Said* said : open) before.push_back(said->now().value());
    ours = daemon.settled_stats();
    last_seen.clear();
    std::vector<const Said*> left;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const double now = value(ours, open[i]->family, labels);
      const double after = open[i]->now().value();
      constexpr double kRounding = 1e-9;
      const bool within = now >= 0 && now >= std::min(before[i], after) - kRounding &&
                          now <= std::max(before[i], after) + kRounding;
      const std::string seen =
          fmt::format("{} is {:.6f}, and was {:.6f} to {:.6f}\n", open[i]->family, now, before[i], after);
      if (within) {
        fmt::print("{}", seen);
        continue;
      }
      left.push_back(open[i]);
      last_seen += seen;
    }
    open = std::move(left);
    return open.empty();
  })) << last_seen;
  EXPECT_EQ(value(daemon.settled_stats(), "flowtap_read_errors_total", {{"what", "workloads"}}), 0);

  // The counters stay when the container ends.
  const char* const user = "flowtap_workload_cpu_user_seconds_total";
  const double last = value(daemon.settled_stats(), user, labels);
  containerd.kill(id);
  ASSERT_TRUE(container->wait());
  ASSERT_TRUE(eventually([&] { return !std::filesystem::exists(cgroup); }));
  EXPECT_TRUE(eventually([&] {
    return value(daemon.stats(), "flowtap_workload_memory_usage_bytes", labels) == -1;
  })) << "nothing is there";
  const Stats ended = daemon.settled_stats();
  EXPECT_GE(value(ended, user, labels), last);
  EXPECT_EQ(value(ended, "flowtap_workload_memory_usage_bytes", labels), -1);
  EXPECT_EQ(value(ended, "flowtap_read_errors_total", {{"what", "workloads"}}), 0);
}

// The container's cgroup is gone before the next cycle. What it used is read at its end, which waits for no cycle.
TEST(Workloads, WhatAContainerUsedUpToItsEndIsInTheFilesOfItsCgroup) {
  const ScratchRoot root;
  Podman podman(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  double used = 0;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(podman.run({.name = fmt::format("short-{}", i),
                          .command = shell("i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done")}),
              0);
  Stats stats;
  double by_files = 0;
  EXPECT_TRUE(eventually([&] {
    stats = daemon.settled_stats();
    used = by_files = 0;
    for (int i = 0; i < 4; ++i) {
      const Labels labels{{"kind", "container"},
                          {"namespace", ""},
                          {"pod", ""},
                          {"container", fmt::format("short-{}", i)},
                          {"workload", ""}};
      used += std::max(0.0, value(stats, kCpu, labels));
      for (const char* part :
           {"flowtap_workload_cpu_user_seconds_total", "flowtap_workload_cpu_system_seconds_total"})
        by_files += std::max(0.0, value(stats, part, labels));
    }
    return used > 0 && by_files >= 0.9 * used;
  })) << "by context switches "
      << used << " s, by files " << by_files << " s";
  fmt::print("by context switches {:.3f} s, by the files of their cgroups {:.3f} s\n", used, by_files);
  EXPECT_LE(by_files, 1.1 * used);
}

// The page's families that have a series of the pod. Those of flows are left out: flows are kept for other reasons.
std::set<std::string> families_of(const Daemon& daemon, const std::string& pod) {
  std::set<std::string> families;
  std::istringstream page(daemon.metrics());
  for (std::string line; std::getline(page, line);)
    if (!line.starts_with('#') && !line.starts_with("flowtap_flow_") && line.contains('"' + pod + '"'))
      families.insert(line.substr(0, line.find('{')));
  return families;
}

TEST(Workloads, NothingIsLeftOfOneThatEndedAfterTheTimeThatItIsKept) {
  const ScratchRoot root;
  Containerd containerd(root);
  DaemonOptions options = kCapturing;
  options.config = "telemetry: {keep: 1s}";
  options.flags = {"--compat-metrics=cadvisor,node,kepler,dcgm"};
  Daemon daemon(root, options);
  daemon.wait_ready();
  const std::string id = container_id("vanishes");
  const std::string pod = "vanishes-0";
  const auto container =
      containerd.start({.id = id,
                        .command = shell("echo done; while [ ! -e /never ]; do sleep 0.1; done"),
                        .annotations = cri_annotations("shop", pod, kPod, "app")});
  const auto has = [&](const char* family) { return families_of(daemon, pod).contains(family); };
  for (const char* family : {kCpu, "flowtap_workload_start_time_seconds", "flowtap_workload_log_bytes_total",
                             "container_cpu_usage_seconds_total", "container_start_time_seconds"})
    EXPECT_TRUE(eventually([&] { return has(family); })) << family;
  fmt::print("{} families\n", families_of(daemon, pod).size());
  // Kepler's dashboards join a container with its pod in this way.
  const std::string page = daemon.metrics();
  const std::size_t line =
      page.find("kepler_container_cpu_seconds_total{pod_id=\"" + std::string(kPod) + '"');
  ASSERT_NE(line, std::string::npos) << page;
  const std::string labels = page.substr(line, page.find('}', line) - line);
  EXPECT_TRUE(labels.contains("container_id=\"" + id + '"')) << labels;
  EXPECT_TRUE(labels.contains("runtime=\"containerd\"")) << labels;
  containerd.kill(id);
  ASSERT_TRUE(container->wait());
  std::set<std::string> left;
  EXPECT_TRUE(eventually([&] {
    left = families_of(daemon, pod);
    return left.empty();
  })) << left.size()
      << " families, as " << *left.begin();
}

// cAdvisor's lines of a pod, from the kernel's own cgroups: the container's, the sandbox's without a container, the pod's with what
// its cgroup's file says, and the machine's.
TEST(Workloads, APodHasTheLinesThatCadvisorHasOfIt) {
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string app = container_id("lines-app");
  const std::string pause = container_id("lines-pause");
  const Containerd::Container as_started;
  const std::string& pod_path = as_started.cgroup_parent;
  const std::string image = "registry.k8s.io/pause:3.10";
  auto of_sandbox = cri_annotations("shop", "lines-0", kPod, "");
  of_sandbox.erase("io.kubernetes.cri.container-name");
  of_sandbox["io.kubernetes.cri.container-type"] = "sandbox";
  of_sandbox["io.kubernetes.cri.podsandbox.image-name"] = image;
  const auto sandbox = containerd.start({.id = pause,
                                         .command = shell("while [ ! -e /never ]; do sleep 1000; done"),
                                         .annotations = of_sandbox});
  const auto container = containerd.start({.id = app,
                                           .command = worker(100'000),
                                           .annotations = cri_annotations("shop", "lines-0", kPod, "app")});
  ASSERT_TRUE(eventually([&] { return containerd.out(app) == "done\n"; }));
  const std::string pod_directory = std::filesystem::path(cgroup_of(containerd.pid(app))).parent_path();
  ASSERT_TRUE(pod_directory.ends_with(pod_path)) << pod_directory;
  DaemonOptions options = kCapturing;
  options.flags = {"--compat-metrics=cadvisor"};
  Daemon daemon(root, options);
  daemon.wait_ready();
  const auto has = [&](const std::string& family, Labels labels) {
    const PromPage page = daemon.scrape();
    const auto at = page.all.find(series_key(family, labels));
    return at == page.all.end() ? std::nullopt : std::optional(at->second);
  };
  const Labels of_app{
      {"container", "app"}, {"namespace", "shop"},        {"pod", "lines-0"},
      {"name", app},        {"id", pod_path + "/" + app}, {"image", "docker.io/library/busybox:1.35"},
      {"cpu", "total"}};
  const Labels of_pause{{"namespace", "shop"},          {"pod", "lines-0"}, {"name", pause},
                        {"id", pod_path + "/" + pause}, {"image", image},   {"cpu", "total"}};
  const Labels of_pod{{"namespace", "shop"}, {"pod", "lines-0"}, {"id", pod_path}, {"cpu", "total"}};
  for (const Labels& labels : {of_app, of_pause, of_pod, Labels{{"id", "/"}, {"cpu", "total"}},
                               Labels{{"id", "/kubepods"}, {"cpu", "total"}}})
    EXPECT_TRUE(eventually([&] { return has("container_cpu_usage_seconds_total", labels).has_value(); }))
        << series_key("container_cpu_usage_seconds_total", labels) << daemon.metrics();
  const double kernels = in_file(pod_directory + "/cpu.stat", "usage_usec").value() * 1e-6;
  const double ours = has("container_cpu_usage_seconds_total", of_pod).value();
  fmt::print("the pod's cgroup used {:.6f} s, its line has {:.6f} s\n", kernels, ours);
  EXPECT_NEAR(ours, kernels, 0.05 * kernels + 0.01);
  const std::string page = daemon.metrics();
  EXPECT_NE(page.find("machine_cpu_cores{"), std::string::npos);
  EXPECT_NE(page.find("machine_memory_bytes{"), std::string::npos);
  EXPECT_EQ(page.find("container=\"POD\",namespace"), std::string::npos)
      << "a dashboard counts it as a container";
  EXPECT_EQ(value(daemon.settled_stats(), "flowtap_read_errors_total", {{"what", "workloads"}}), 0);
  containerd.kill(app);
  containerd.kill(pause);
  ASSERT_TRUE(container->wait());
  ASSERT_TRUE(sandbox->wait());
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
