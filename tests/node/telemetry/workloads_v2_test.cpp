// A container with limits in the kernel's own v2, all controllers on: each file of its cgroup == what flowtapd says. This holds
// for the cgroups that it makes below, too, and for its end for want of memory.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/fd.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

Labels of_pod(const std::string& pod) {
  return {{"kind", "pod"},
          {"namespace", "shop"},
          {"pod", pod},
          {"container", "app"},
          {"workload", pod.substr(0, pod.rfind('-'))}};
}

// Values that are told by block device are summed.
std::optional<double> value(const Stats& stats, const std::string& family, const Labels& labels) {
  const auto one = [&](const Labels& all) {
    const auto at = stats.series.find(series_key(family, all));
    return at == stats.series.end() ? std::nullopt : std::optional(at->second);
  };
  if (!family.starts_with("flowtap_workload_io_")) return one(labels);
  double sum = 0;
  for (const auto& device : std::filesystem::directory_iterator("/sys/class/block")) {
    Labels all = labels;
    all["device"] = device.path().filename();
    sum += one(all).value_or(0);
  }
  return sum;
}

std::string cgroup_of(pid_t pid) {
  std::ifstream lines("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::")) return "/sys/fs/cgroup" + line.substr(3);
  return {};
}

// The number behind a word ("anon", "rbytes="), summed if there are several; without a word the first one. Absent: no such file.
std::optional<double> number_in(const std::string& path, const std::string& word = {}) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::optional<double> sum;
  std::string before;
  for (std::string text; file >> text; before = text) {
    std::string digits;
    if (word.empty() || before == word)
      digits = text;
    else if (word.ends_with('=') && text.starts_with(word))
      digits = text.substr(word.size());
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) continue;
    sum = sum.value_or(0) + std::strtod(digits.c_str(), nullptr);
    if (word.empty()) break;
  }
  // An io.stat has no line if nothing was read or written.
  return word.ends_with('=') ? sum.value_or(0) : sum;
}

// The pressure behind "some" or "full".
std::optional<double> pressure_in(const std::string& path, const std::string& which) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(which)) return std::strtod(line.c_str() + line.find("total=") + 6, nullptr) * 1e-6;
  return std::nullopt;
}

using Values = std::map<std::string, std::optional<double>>;

// The values by their families, from the files alone.
Values in_files(const std::string& cgroup) {
  const auto in = [&](const char* file, const char* word = "", double scale = 1) {
    auto number = number_in(cgroup + '/' + file, word);
    if (number) *number *= scale;
    return number;
  };
  Values all = {
      {"cpu_user_seconds_total", in("cpu.stat", "user_usec", 1e-6)},
      {"cpu_system_seconds_total", in("cpu.stat", "system_usec", 1e-6)},
      {"cpu_periods_total", in("cpu.stat", "nr_periods")},
      {"cpu_throttled_periods_total", in("cpu.stat", "nr_throttled")},
      {"cpu_throttled_seconds_total", in("cpu.stat", "throttled_usec", 1e-6)},
      {"cpu_limit_cores", in("cpu.max", "", 1e-5)},
      {"memory_usage_bytes", in("memory.current")},
      {"memory_anonymous_bytes", in("memory.stat", "anon")},
      {"memory_file_bytes", in("memory.stat", "file")},
      {"memory_mapped_file_bytes", in("memory.stat", "file_mapped")},
      {"memory_kernel_bytes", in("memory.stat", "kernel")},
      {"memory_swap_bytes", in("memory.swap.current")},
      {"memory_limit_bytes", in("memory.max")},
      {"memory_peak_bytes", in("memory.peak")},
      {"page_faults_total", in("memory.stat", "pgfault")},
      {"major_page_faults_total", in("memory.stat", "pgmajfault")},
      {"memory_limit_hits_total", in("memory.events", "oom")},
      {"oom_kills_total", in("memory.events", "oom_kill")},
      {"io_read_bytes_total", in("io.stat", "rbytes=")},
      {"io_written_bytes_total", in("io.stat", "wbytes=")},
      {"io_reads_total", in("io.stat", "rios=")},
      {"io_writes_total", in("io.stat", "wios=")},
      {"tasks", in("pids.current")},
      {"tasks_limit", in("pids.max")},
  };
  for (const char* of : {"cpu", "memory", "io"}) {
    const std::string file = fmt::format("{}/{}.pressure", cgroup, of);
    all[fmt::format("pressure_{}_waiting_seconds_total", of)] = pressure_in(file, "some");
    all[fmt::format("pressure_{}_stalled_seconds_total", of)] = pressure_in(file, "full");
  }
  const auto inactive = in("memory.stat", "inactive_file");
  all["memory_working_set_bytes"] = std::max(0.0, *all["memory_usage_bytes"] - inactive.value_or(0));
  return all;
}

// Values that are neither what they were before nor after, nor in between. The files are at rest.
std::string differing(const Values& before, const Stats& ours, const Values& after, const Labels& labels) {
  std::string all;
  for (const auto& [name, first] : before) {
    const auto said = value(ours, "flowtap_workload_" + name, labels);
    const auto& last = after.at(name);
    constexpr double kRounding = 1e-9;
    const bool same = first && last && said && *said >= std::min(*first, *last) - kRounding &&
                      *said <= std::max(*first, *last) + kRounding;
    if (!same && (first || said))
      all += fmt::format("{}: {} is not {} to {}\n", name, said.value_or(-1), first.value_or(-1),
                         last.value_or(-1));
  }
  return all;
}

// Reads and writes as a process of that cgroup.
void read_and_write(const std::string& cgroup) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const Fd disk(::open("/dev/nvme0n1", O_RDWR | O_DIRECT | O_CLOEXEC));  // the container may not open it
    std::ofstream(cgroup + "/cgroup.procs") << ::getpid() << std::flush;
    void* page = std::aligned_alloc(kMiB, kMiB);
    const bool done = ::pread(disk.get(), page, kMiB, 0) == static_cast<ssize_t>(kMiB) &&
                      ::pwrite(disk.get(), page, kMiB / 4, 0) == static_cast<ssize_t>(kMiB / 4);
    ::_exit(done ? 0 : 1);
  }
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0) << "no disk of the test's own";
}

void expect_v2() {
  struct statfs there{};
  ASSERT_EQ(::statfs("/sys/fs/cgroup", &there), 0);
  ASSERT_EQ(there.f_type, CGROUP2_SUPER_MAGIC) << "made for a virtual machine (vmtest/run workloads_v2)";
}

TEST(WorkloadsOfV2, EachFileOfALimitedContainerIsReadAsItStands) {
  ASSERT_NO_FATAL_FAILURE(expect_v2());
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = container_id("limited");
  const auto container = containerd.start(
      {.id = id,
       .command = shell("x=$(head -c 2000000 /dev/zero | tr '\\0' x); "
                        "i=0; while [ $i -lt 6000 ]; do i=$((i + 1)); done; echo done; exec sleep 1000"),
       .annotations = cri_annotations("shop", "limited-0", kPod, "app"),
       .limits = {.memory_bytes = 64 * kMiB, .cpu_percent = 20, .tasks = 50}});
  ASSERT_TRUE(eventually([&] { return containerd.out(id) == "done\n"; }));
  const std::string cgroup = cgroup_of(containerd.pid(id));
  read_and_write(cgroup);
  const Labels labels = of_pod("limited-0");
  std::string differences;
  Stats ours;
  EXPECT_TRUE(eventually([&] {
    const Values before = in_files(cgroup);
    ours = daemon.settled_stats();
    differences = differing(before, ours, in_files(cgroup), labels);
    return differences.empty();
  })) << differences;
  for (const auto& [name, number] : in_files(cgroup))
    fmt::print("{}: {} in the files, {} here\n", name, number.value_or(-1),
               value(ours, "flowtap_workload_" + name, labels).value_or(-1));
  const auto said = [&](const char* name) {
    return value(ours, fmt::format("flowtap_workload_{}", name), labels).value_or(-1);
  };
  EXPECT_EQ(said("cpu_limit_cores"), 0.2);
  EXPECT_EQ(said("memory_limit_bytes"), 64 * kMiB);
  EXPECT_EQ(said("tasks_limit"), 50);
  EXPECT_EQ(said("tasks"), 1);
  EXPECT_EQ(said("processes"), 1);
  EXPECT_EQ(said("oom_kills_total"), 0);
  EXPECT_GT(said("cpu_throttled_periods_total"), 0);
  EXPECT_GT(said("cpu_throttled_seconds_total"), 0);
  EXPECT_GT(said("pressure_cpu_waiting_seconds_total"), 0);
  EXPECT_GT(said("memory_peak_bytes"), 2'000'000);
  EXPECT_EQ(said("io_read_bytes_total"), kMiB);
  EXPECT_EQ(said("io_written_bytes_total"), kMiB / 4);
  EXPECT_EQ(value(ours, "flowtap_read_errors_total", {{"what", "workloads"}}), 0);
  containerd.kill(id);
  EXPECT_TRUE(container->wait());
}

// crun, and a systemd in a container, do it like this.
TEST(WorkloadsOfV2, ProcessesInCgroupsBelowAreTheContainers) {
  ASSERT_NO_FATAL_FAILURE(expect_v2());
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = container_id("inner");
  const auto container = containerd.start(
      {.id = id,
       .command = shell("sleep 1000 & echo done; while [ ! -e /never ]; do sleep 1000; done"),
       .annotations = cri_annotations("shop", "inner-0", kPod, "app")});
  ASSERT_TRUE(eventually([&] { return containerd.out(id) == "done\n"; }));
  const std::string cgroup = cgroup_of(containerd.pid(id));
  std::filesystem::create_directories(cgroup + "/container/init.scope");
  ASSERT_TRUE(eventually([&] {
    std::ifstream procs(cgroup + "/cgroup.procs");
    pid_t pid = 0;
    if (!(procs >> pid)) return true;
    std::ofstream(cgroup + "/container/init.scope/cgroup.procs") << pid << std::flush;
    return false;
  })) << "they cannot be moved";
  EXPECT_TRUE(eventually([&] {
    const Stats stats = daemon.settled_stats();
    return value(stats, "flowtap_workload_processes", of_pod("inner-0")) == 3 &&
           value(stats, "flowtap_workload_start_time_seconds", of_pod("inner-0")).has_value();
  })) << daemon.metrics();
  containerd.kill(id);
  EXPECT_TRUE(container->wait());
  for (const char* path : {"/container/init.scope", "/container", ""}) ::rmdir((cgroup + path).c_str());
}

TEST(WorkloadsOfV2, AnEndForWantOfMemoryIsCountedAndTold) {
  namespace json = boost::json;
  ASSERT_NO_FATAL_FAILURE(expect_v2());
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_EQ(containerd.run(
                {.id = container_id("greedy"),
                 .command = shell("echo hungry; x=$(head -c 100000000 /dev/zero | tr '\\0' x); echo fed"),
                 .annotations = cri_annotations("shop", "greedy-0", kPod, "app"),
                 .limits = {.memory_bytes = 16 * kMiB}}),
            137);
  Outcome run;
  EXPECT_TRUE(eventually([&] {
    run = flowtap_program("-o json why shop/greedy-0 --state-dir " + daemon.state_dir());
    return run.exit == 0;
  })) << run.output;
  const json::object exit = json::parse(run.output).at("exits").at(0).as_object();
  EXPECT_TRUE(exit.at("oom").as_bool()) << run.output;
  EXPECT_EQ(exit.at("signal").to_number<int>(), 9);
  const Stats stats = daemon.settled_stats();
  EXPECT_EQ(value(stats, "flowtap_workload_oom_kills_total", of_pod("greedy-0")), 1);
  EXPECT_GE(value(stats, "flowtap_workload_memory_limit_hits_total", of_pod("greedy-0")).value_or(0), 1);
}

}  // namespace
}  // namespace flowtap::test
