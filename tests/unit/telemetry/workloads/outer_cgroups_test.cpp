// A node's tree of cgroups as systemd and kubelet make it, in files of the test's own, and each line that cAdvisor has for it:
// the root, slices, the pod, its sandbox, its container and a unit, each once and with its own numbers.
#include "telemetry/workloads/outer_cgroups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "stats/compat/compat.hpp"
#include "telemetry/workloads/files/cgroup_files.hpp"
#include "telemetry/workloads/files/file_series.hpp"
#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;
using stats::StatId;
using test::FileTree;

const std::string kUid = "3f1c2a50-6d0e-4a58-9f40-1f2d3c4b5a69";
const std::string kBurstable = "/kubepods.slice/kubepods-burstable.slice";
const std::string kPod = kBurstable + "/kubepods-burstable-pod3f1c2a50_6d0e_4a58_9f40_1f2d3c4b5a69.slice";
const std::string kApp = kPod + "/cri-containerd-aaaa.scope";
const std::string kPause = kPod + "/cri-containerd-bbbb.scope";
const std::string kKubelet = "/system.slice/kubelet.service";

/// What each line of one name has, by its labels in the order of their names.
using Lines = std::map<std::string, double>;

class OuterTest : public testing::Test {
 protected:
  OuterTest() {
    tree.file("proc/1/net/dev", "")
        .file("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 300 kB\nSwapTotal: 8 kB\nSwapFree: 2 kB\n");
    cgroup("", 9'000'000, "", "inactive_file 51200\n", "");
    cgroup("/kubepods.slice", 3'000'000, "7000000\n", "anon 7\ninactive_file 0\n", "8000000\n");
    cgroup(kBurstable, 2'900'000, "6000000\n", "anon 6\ninactive_file 0\n", "max\n");
    cgroup(kPod, 2'500'000, "5000000\n", "anon 5\ninactive_file 1000000\npgfault 50\n", "max\n");
    cgroup(kApp, 2'000'000, "4000000\n", "anon 4\ninactive_file 500000\npgfault 40\n", "max\n");
    cgroup(kPause, 1'000, "40960\n", "anon 3\ninactive_file 0\npgfault 3\n", "max\n");
    cgroup("/system.slice", 800'000, "90000\n", "anon 2\ninactive_file 0\n", "max\n");
    cgroup(kKubelet, 700'000, "80000\n", "anon 1\ninactive_file 0\n", "max\n");
    tree.file("cgroup" + kApp + "/cgroup.procs", "70\n71\n")
        .file("cgroup" + kPause + "/cgroup.procs", "60\n")
        .file("cgroup" + kApp + "/cpu.max", "50000 100000\n")
        .file("cgroup" + kPod + "/cpu.max", "max 100000\n");
    container("app", kApp, "aaaa", "docker.io/library/web:1");
    container("POD", kPause, "bbbb", "registry.k8s.io/pause:3.10");
    const WorkloadName unit{
        .kind = WorkloadKind::kUnit, .ns = {}, .pod = {}, .container = {}, .workload = "kubelet.service"};
    workloads[unit] = {.usage = {}, .tops = {kKubelet}, .labels = unit.labels()};
  }

  void cgroup(const std::string& path, unsigned cpu_us, std::string_view memory, std::string_view memory_stat,
              std::string_view limit) {
    const std::string at = "cgroup" + path + "/";
    tree.file(at + "cpu.stat",
              "usage_usec " + std::to_string(cpu_us) + "\nuser_usec 1\nsystem_usec 2\nnr_periods 8\n")
        .file(at + "memory.stat", memory_stat)
        .file(at + "cgroup.procs", "");
    if (path.empty()) {
      tree.file(at + "cgroup.controllers", "");
      return;  // the kernel keeps the rest for none but the root's children
    }
    tree.file(at + "memory.current", memory)
        .file(at + "memory.max", limit)
        .file(at + "memory.min", "0\n")
        .file(at + "memory.swap.max", "max\n")
        .file(at + "cpu.weight", "39\n")
        .file(at + "pids.current", "12\n")
        .file(at + "pids.max", "max\n")
        .file(at + "memory.events", "oom_kill 2\n");
  }
  void container(const std::string& name, const std::string& path, const std::string& id,
                 const std::string& image) {
    const WorkloadName who{
        .kind = WorkloadKind::kPod, .ns = "shop", .pod = "web-0", .container = name, .workload = "web"};
    std::vector<std::string> instance = who.labels();
    instance.insert(instance.end(), {id, image, path, kUid, "containerd"});
    workloads[who] = {.usage = {},
                      .tops = {path},
                      .labels = who.labels(),
                      .instances = {{path, stats::Labels(std::move(instance))}}};
  }

  void round(std::chrono::seconds later = 20s) {
    now += later;
    inside->round(workloads, now, unread);
    networks.round(*inside, now, unread);
    outer->round(workloads, *inside, networks, now, unread);
  }
  [[nodiscard]] std::vector<stats::compat::Family> cadvisor() const {
    stats::Snapshot all;
    for (const auto& [name, entry] : inside->workloads()) {
      append_series(entry.values, entry.io, entry.labels, all.series);
      append_unset(entry.values, entry.labels, all.for_compat);
    }
    for (const auto& [name, workload] : workloads)
      for (const auto& [path, instance] : workload.instances)
        all.series.push_back({&stats::stat(StatId::kWORKLOAD_INFO), instance, std::uint64_t{1}});
    outer->append_series(workloads, all.for_compat);
    return stats::compat::families(all, {stats::compat::Exporter::kCADVISOR});
  }
  [[nodiscard]] Lines lines(const std::string& name) const {
    Lines all;
    for (const auto& family : cadvisor()) {
      if (family.name != name) continue;
      for (const auto& sample : family.samples) {
        const std::map<std::string, std::string> sorted(sample.labels.begin(), sample.labels.end());
        std::string text;
        for (const auto& [key, value] : sorted) text += key + "=" + value + " ";
        EXPECT_TRUE(all.emplace(text, sample.value).second) << text << "is there twice";
      }
    }
    return all;
  }

  FileTree tree;
  std::map<WorkloadName, Workload> workloads;
  std::optional<FileLedger> inside;
  NetworkLedger networks{tree.root() + "/proc"};
  std::optional<OuterCgroups> outer;
  FileLedger::Clock::time_point now{};
  std::uint64_t unread = 0;
};

const std::string kAppLine =
    "container=app id=" + kApp + " image=docker.io/library/web:1 name=aaaa namespace=shop pod=web-0 ";
const std::string kPauseLine =
    "id=" + kPause + " image=registry.k8s.io/pause:3.10 name=bbbb namespace=shop pod=web-0 ";
const std::string kPodLine = "id=" + kPod + " namespace=shop pod=web-0 ";

class OuterCgroupsTest : public OuterTest {
 protected:
  OuterCgroupsTest() {
    auto files = CgroupFileSource::open_below(tree.root() + "/cgroup", 0);
    files->leave_out_inner();
    inside.emplace(CgroupFileSource::open_below(tree.root() + "/cgroup"), BlockNames(tree.root()));
    outer.emplace(std::move(files), BlockNames(tree.root()), tree.root() + "/proc");
    round();
  }
};

TEST_F(OuterCgroupsTest, EachCgroupHasItsMemoryOnceAsKubeletLabelsIt) {
  const Lines usage{{"id=/ ", 700 * 1024},
                    {"id=/kubepods.slice ", 7'000'000},
                    {"id=" + kBurstable + " ", 6'000'000},
                    {kPodLine, 5'000'000},
                    {kAppLine, 4'000'000},
                    {kPauseLine, 40'960},
                    {"id=/system.slice ", 90'000},
                    {"id=" + kKubelet + " ", 80'000}};
  EXPECT_EQ(lines("container_memory_usage_bytes"), usage);
  Lines working_set = usage;
  working_set["id=/ "] -= 51'200;
  working_set[kPodLine] -= 1'000'000;
  working_set[kAppLine] -= 500'000;
  EXPECT_EQ(lines("container_memory_working_set_bytes"), working_set);
  EXPECT_EQ(lines("container_memory_swap"), (Lines{{"id=/ ", 6 * 1024}}));
  EXPECT_EQ(unread, 0U);
}

TEST_F(OuterCgroupsTest, TheCpuTimeOfACgroupIsThatOfItsFile) {
  const auto seconds = [](unsigned us) { return us * 1000.0 * 1e-9; };
  const Lines expected{{"cpu=total id=/ ", seconds(9'000'000)},
                       {"cpu=total id=/kubepods.slice ", seconds(3'000'000)},
                       {"cpu=total id=" + kBurstable + " ", seconds(2'900'000)},
                       {"cpu=total " + kPodLine, seconds(2'500'000)},
                       {"cpu=total id=/system.slice ", seconds(800'000)}};
  EXPECT_EQ(lines("container_cpu_usage_seconds_total"), expected)
      << "containers and units have what was counted at context switches";
}

TEST_F(OuterCgroupsTest, NoLimitIs0AndTheRootsIsTheMachine) {
  Lines limits{{"id=/kubepods.slice ", 8'000'000}};
  for (const std::string& line : {"id=" + kBurstable + " ", kPodLine, kAppLine, kPauseLine,
                                  std::string("id=/system.slice "), "id=" + kKubelet + " "})
    limits[line] = 0;
  EXPECT_EQ(lines("container_spec_memory_limit_bytes"), limits) << "the root's comes with the node's memory";
  limits["id=/kubepods.slice "] = 0;
  EXPECT_EQ(lines("container_spec_memory_swap_limit_bytes"), limits);
  EXPECT_EQ(lines("container_spec_memory_reservation_limit_bytes"), limits);
  EXPECT_EQ(lines("container_threads_max"), limits);
  EXPECT_EQ(lines("container_spec_cpu_quota"), (Lines{{kAppLine, 50'000}}));
  Lines shares = limits;
  for (auto& [line, value] : shares) value = 998;
  EXPECT_EQ(lines("container_spec_cpu_shares"), shares);
  Lines periods = limits;
  for (auto& [line, value] : periods) value = 100'000;
  EXPECT_EQ(lines("container_spec_cpu_period"), periods);
  EXPECT_EQ(lines("container_cpu_cfs_periods_total"), (Lines{{kAppLine, 8}}))
      << "only where there is a quota";
}

TEST_F(OuterCgroupsTest, APodHasTheProcessesOfItsContainersAndTheirFaultsButNotTheirKills) {
  EXPECT_EQ(lines("container_processes").at(kPodLine), 3);
  EXPECT_FALSE(lines("container_processes").contains("id=/kubepods.slice "));
  EXPECT_EQ(lines("container_threads").at(kPodLine), 12);
  for (const std::string scope : {"container", "hierarchy"})
    EXPECT_EQ(lines("container_memory_failures_total")
                  .at("failure_type=pgfault " + kPodLine + "scope=" + scope + " "),
              50);
  const Lines kills = lines("container_oom_events_total");
  EXPECT_TRUE(kills.contains(kAppLine));
  EXPECT_FALSE(kills.contains(kPodLine)) << "a sum over the pod would count them twice";
}

TEST_F(OuterCgroupsTest, OneThatGoesGoesWithItsLines) {
  std::erase_if(workloads, [](const auto& entry) { return entry.first.kind == WorkloadKind::kPod; });
  round();
  const std::set<std::string> left{"id=/ ", "id=/system.slice ", "id=" + kKubelet + " "};
  std::set<std::string> found;
  for (const auto& [line, value] : lines("container_memory_usage_bytes")) found.insert(line);
  EXPECT_EQ(found, left);
}

TEST_F(OuterCgroupsTest, TheRootIsThereWithoutAnyWorkload) {
  workloads.clear();
  round();
  EXPECT_EQ(lines("container_memory_usage_bytes"), (Lines{{"id=/ ", 700 * 1024}}));
  EXPECT_EQ(lines("container_cpu_usage_seconds_total"),
            (Lines{{"cpu=total id=/ ", 9'000'000 * 1000.0 * 1e-9}}));
}

// Where the cgroup above is no pod's (a runtime without kubelet), it belongs to nobody.
TEST_F(OuterCgroupsTest, ACgroupIsAPodsOnlyByItsName) {
  container("lone", "/elsewhere/cccc", "cccc", "");
  cgroup("/elsewhere", 1, "1\n", "", "max\n");
  cgroup("/elsewhere/cccc", 1, "1\n", "", "max\n");
  round();
  EXPECT_TRUE(lines("container_memory_usage_bytes").contains("id=/elsewhere "));
}

}  // namespace
}  // namespace flowtap::telemetry
