// A container that its runtime has put into hierarchies of v1 only, as Docker does on old nodes, and beside a v2 that it does not
// use. telemetry.hierarchy: v1 tells it apart from the host, with what the kernel's files of its cgroups say.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

#include "tests/bpf/accounted.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/containers/v1_hierarchy.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> kOften = {"--cycle", "200ms"};  // nobody has to wait for a cycle for long

constexpr std::size_t kMemory = std::size_t{32} << 20U;

std::optional<double> value(const Stats& stats, const std::string& family, const Labels& labels) {
  const auto at = stats.series.find(series_key("flowtap_workload_" + family, labels));
  return at == stats.series.end() ? std::nullopt : std::optional(at->second);
}

// The number behind a key, or alone.
double in_file(const std::string& path, const std::string& key = {}) {
  std::ifstream file(path);
  std::string word;
  double number = 0;
  if (key.empty() && file >> number) return number;
  while (file >> word >> number)
    if (word == key) return number;
  ADD_FAILURE() << "no " << key << " in " << path;
  return -1;
}

// It has a cgroup at the same path of each hierarchy except v2's. It works, and stays with some memory in its hands.
class V1Container {
 public:
  explicit V1Container(char digit) : id_(64, digit) {
    const std::string path = "docker/" + id_;
    for (const V1Hierarchy* of : {&cpuacct_, &memory_, &pids_})
      cgroups_.push_back(std::make_unique<ScratchCgroup>(path, of->path()));
    pid_ = ::fork();
    if (pid_ != 0) return;
    for (const auto& cgroup : cgroups_) cgroup->join();
    void* memory =
        ::mmap(nullptr, kMemory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) ::_exit(1);
    fork_often(300);
    spin(1s);
    while (true) ::pause();
  }
  ~V1Container() { end(); }
  V1Container(const V1Container&) = delete;
  V1Container& operator=(const V1Container&) = delete;

  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
    cgroups_.clear();
  }
  [[nodiscard]] std::string cpuacct(const std::string& file) const {
    return cgroups_[0]->path() + '/' + file;
  }
  [[nodiscard]] std::string memory(const std::string& file) const { return cgroups_[1]->path() + '/' + file; }
  [[nodiscard]] double charged() const {
    return static_cast<double>(charged_ns_v1(cgroups_[0]->path())) * 1e-9;
  }
  [[nodiscard]] Labels labels() const {
    return {{"kind", "container"},
            {"namespace", ""},
            {"pod", ""},
            {"container", id_.substr(0, 12)},
            {"workload", ""}};
  }

 private:
  std::string id_;
  V1Hierarchy cpuacct_{"cpuacct"};
  V1Hierarchy memory_{"memory"};
  V1Hierarchy pids_{"pids"};
  std::vector<std::unique_ptr<ScratchCgroup>> cgroups_;
  pid_t pid_ = 0;
};

bool has_v1() {
  return ::access("/sys/fs/cgroup/cpuacct/cpuacct.stat", R_OK) == 0;
}

TEST(WorkloadsOfV1, AContainerIsToldApartWithItsCpuTimeAndItsMemory) {
  if (!has_v1()) GTEST_SKIP() << "this machine has no hierarchy of v1";
  const ScratchRoot root;
  Daemon daemon(root, {.flags = kOften, .config = "telemetry: {hierarchy: v1}"});
  daemon.wait_ready();
  EXPECT_TRUE(daemon.component("telemetry").value().detail.contains("workloads by cgroup v1 (cpuacct)"));
  V1Container container('d');
  const Labels labels = container.labels();
  double ours = -1;
  double kernels = 0;
  // What it uses is withheld until its runtime's files cannot be waited for any longer.
  EXPECT_TRUE(eventually([&] {
    kernels = container.charged();
    ours = value(daemon.settled_stats(), "cpu_seconds_total", labels).value_or(-1);
    return kernels > 1.3 && std::abs(ours - kernels) <= 0.01 * kernels;
  }));
  fmt::print("the kernel charged {:.6f} s, we counted {:.6f} s: {:+.3f} %\n", kernels, ours,
             100 * (ours - kernels) / kernels);

  // The container is at rest; the files are read every five seconds.
  Stats stats;
  constexpr double kTick = 0.01;
  constexpr double kRounding = 1e-9;
  const double user = in_file(container.cpuacct("cpuacct.stat"), "user") * kTick;
  const double system = in_file(container.cpuacct("cpuacct.stat"), "system") * kTick;
  EXPECT_TRUE(eventually([&] {
    stats = daemon.settled_stats();
    const auto is = [&](const char* family, double number) {
      return std::abs(value(stats, family, labels).value_or(-1) - number) < kRounding;
    };
    return is("cpu_user_seconds_total", user) && is("cpu_system_seconds_total", system) &&
           value(stats, "memory_usage_bytes", labels) == in_file(container.memory("memory.usage_in_bytes"));
  })) << daemon.metrics();
  fmt::print("user {:.2f} s, system {:.2f} s, memory {:.0f} bytes, anonymous {:.0f}\n", user, system,
             value(stats, "memory_usage_bytes", labels).value_or(-1),
             value(stats, "memory_anonymous_bytes", labels).value_or(-1));
  EXPECT_NEAR(user + system, kernels, 3 * kTick);
  EXPECT_EQ(value(stats, "memory_anonymous_bytes", labels),
            in_file(container.memory("memory.stat"), "total_rss"));
  EXPECT_GE(value(stats, "memory_anonymous_bytes", labels).value_or(0), static_cast<double>(kMemory));
  EXPECT_EQ(value(stats, "tasks", labels), 1);
  EXPECT_EQ(value(stats, "processes", labels), 1);
  EXPECT_TRUE(value(stats, "start_time_seconds", labels));
  EXPECT_FALSE(value(stats, "pressure_cpu_waiting_seconds_total", labels)) << "v1 has none";
  EXPECT_TRUE(value(stats, "cpu_seconds_total",
                    {{"kind", "host"}, {"namespace", ""}, {"pod", ""}, {"container", ""}, {"workload", ""}}));

  // The counters stay when the container ends.
  container.end();
  EXPECT_TRUE(eventually([&] {
    stats = daemon.settled_stats();
    return !value(stats, "memory_usage_bytes", labels);
  }));
  EXPECT_GE(value(stats, "cpu_seconds_total", labels).value_or(0), ours);
  EXPECT_GE(value(stats, "cpu_user_seconds_total", labels).value_or(0), user - kRounding);
  const auto errors = stats.series.find(series_key("flowtap_read_errors_total", {{"what", "workloads"}}));
  EXPECT_EQ(errors == stats.series.end() ? 0 : errors->second, 0);
}

// If v2 is mounted, it is asked, as containers on hybrid nodes usually are in it, too. v1 is asked if somebody wants it.
TEST(WorkloadsOfV1, ByItselfV2IsAskedWhereItIsMounted) {
  if (!has_v1()) GTEST_SKIP() << "this machine has no hierarchy of v1";
  const ScratchRoot root;
  Daemon daemon(root, {.flags = kOften, .config = "telemetry: {hierarchy: auto}\n"});
  daemon.wait_ready();
  EXPECT_FALSE(daemon.component("telemetry").value().detail.contains("cgroup v1"));
  const V1Container container('e');
  const ScratchCgroup beside("docker/" + std::string(64, 'f'));
  const pid_t child = ::fork();
  if (child == 0) {
    beside.join();
    spin(500ms);
    while (true) ::pause();
  }
  Labels of_v2 = container.labels();
  of_v2["container"] = std::string(12, 'f');
  EXPECT_TRUE(eventually(
      [&] { return value(daemon.settled_stats(), "cpu_seconds_total", of_v2).value_or(0) > 0.49; }));
  EXPECT_FALSE(value(daemon.settled_stats(), "cpu_seconds_total", container.labels())) << "it is the host's";

  root.write("flowtap.yaml", "telemetry: {hierarchy: v1}\n");
  daemon.signal(SIGHUP);
  EXPECT_TRUE(eventually(
      [&] { return value(daemon.settled_stats(), "cpu_seconds_total", container.labels()).has_value(); }));
  EXPECT_TRUE(daemon.component("telemetry").value().detail.contains("cgroup v1"));
  EXPECT_FALSE(value(daemon.settled_stats(), "cpu_seconds_total", of_v2)) << "now this one is";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace flowtap::test
