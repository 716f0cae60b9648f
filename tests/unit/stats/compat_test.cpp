// Our values under other exporters' names: each name comes once, its label sets are unique, and the sum is the same.
#include "stats/compat/compat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace flowtap::stats::compat {
namespace {

using testing::ElementsAre;
using testing::Pair;

const std::vector<Exporter> kAll{Exporter::kCADVISOR, Exporter::kNODE, Exporter::kKEPLER, Exporter::kDCGM};
const Labels kWeb{"pod", "shop", "web-0", "app", "web"};
const Labels kSide{"pod", "shop", "web-0", "side", "web"};
const Labels kPodman{"container", "", "", "burner", ""};
const Labels kUnit{"unit", "", "", "", "ssh.service"};

Snapshot snapshot(std::vector<Series> series) {
  Snapshot all;
  all.series = std::move(series);
  return all;
}

const Family* find(const std::vector<Family>& all, std::string_view name) {
  const auto at = std::ranges::find(all, name, &Family::name);
  return at == all.end() ? nullptr : &*at;
}

TEST(Compat, ExportersAreNamedByAList) {
  EXPECT_EQ(parse_exporters("")->size(), 0U);
  EXPECT_THAT(*parse_exporters("node"), ElementsAre(Exporter::kNODE));
  EXPECT_THAT(*parse_exporters("kepler,cadvisor,kepler"),
              ElementsAre(Exporter::kKEPLER, Exporter::kCADVISOR));
  for (const char* bad : {"nodes", "node,", ",node", "node, kepler", "node,,kepler"})
    EXPECT_FALSE(parse_exporters(bad)) << bad;
}

TEST(Compat, WhoIsNotAskedForIsNotThere) {
  const auto all =
      snapshot({{&stat(StatId::kNODE_LOAD1), {}, 1.5}, {&stat(StatId::kWORKLOAD_CPU), kWeb, 2.0}});
  EXPECT_TRUE(families(all, {}).empty());
  EXPECT_EQ(families(all, {Exporter::kNODE}).size(), 1U);
}

TEST(Compat, OfTheNodeInTheirUnits) {
  const auto all = families(snapshot({{&stat(StatId::kNODE_DISK_DISCARDED_BYTES), {"vda"}, 4096.0},
                                      {&stat(StatId::kNODE_CPU), {"0", "idle"}, 7.5}}),
                            kAll);
  ASSERT_NE(find(all, "node_disk_discarded_sectors_total"), nullptr);
  EXPECT_EQ(find(all, "node_disk_discarded_sectors_total")->samples.at(0).value, 8);
  const Family* cpu = find(all, "node_cpu_seconds_total");
  ASSERT_NE(cpu, nullptr);
  EXPECT_EQ(cpu->kind, Kind::kCounter);
  EXPECT_THAT(cpu->samples.at(0).labels, ElementsAre(Pair("cpu", "0"), Pair("mode", "idle")));
}

TEST(Compat, OfContainersAsKubeletLabelsThem) {
  const auto all = families(snapshot({{&stat(StatId::kWORKLOAD_CPU), kWeb, 2.0},
                                      {&stat(StatId::kWORKLOAD_CPU), kPodman, 3.0},
                                      {&stat(StatId::kWORKLOAD_CPU), kUnit, 4.0}}),
                            {Exporter::kCADVISOR});
  const Family* cpu = find(all, "container_cpu_usage_seconds_total");
  ASSERT_NE(cpu, nullptr);
  ASSERT_EQ(cpu->samples.size(), 2U) << "a unit is no container";
  EXPECT_THAT(cpu->samples.at(0).labels, ElementsAre(Pair("container", "app"), Pair("namespace", "shop"),
                                                     Pair("pod", "web-0"), Pair("cpu", "total")));
  EXPECT_THAT(cpu->samples.at(1).labels, ElementsAre(Pair("name", "burner"), Pair("cpu", "total")));
}

// Rules select them like this: {image!=""}.
TEST(Compat, AContainerThatIsThereHasItsIdAndImage) {
  const Labels web{"pod", "shop",     "web-0",           "app",
                   "web", "0123abcd", "docker.io/web:1", "/kubepods/pod1/0123"};
  const Labels podman{"container", "", "", "burner", "", "4567", "", "/libpod-4567.scope"};
  const auto all = families(snapshot({{&stat(StatId::kWORKLOAD_CPU), kWeb, 2.0},
                                      {&stat(StatId::kWORKLOAD_CPU), kSide, 2.0},
                                      {&stat(StatId::kWORKLOAD_CPU), kPodman, 3.0},
                                      {&stat(StatId::kWORKLOAD_INFO), web, std::uint64_t{1}},
                                      {&stat(StatId::kWORKLOAD_INFO), podman, std::uint64_t{1}}}),
                            {Exporter::kCADVISOR});
  const Family* cpu = find(all, "container_cpu_usage_seconds_total");
  ASSERT_NE(cpu, nullptr);
  EXPECT_THAT(cpu->samples.at(0).labels,
              ElementsAre(Pair("container", "app"), Pair("namespace", "shop"), Pair("pod", "web-0"),
                          Pair("name", "0123abcd"), Pair("id", "/kubepods/pod1/0123"),
                          Pair("image", "docker.io/web:1"), Pair("cpu", "total")));
  EXPECT_THAT(cpu->samples.at(1).labels, ElementsAre(Pair("container", "side"), Pair("namespace", "shop"),
                                                     Pair("pod", "web-0"), Pair("cpu", "total")))
      << "which has ended";
  EXPECT_THAT(cpu->samples.at(2).labels,
              ElementsAre(Pair("name", "burner"), Pair("id", "/libpod-4567.scope"), Pair("cpu", "total")));
}

// Dashboards count a pod's containers with {container!=""}, and its traffic by the labels of the sandbox, whose it is.
TEST(Compat, ASandboxHasNoContainerAndItsIdsAreThoseOfThePodsNetwork) {
  const Labels pause{"pod", "shop", "web-0", "POD", "web"};
  std::vector<std::string> info(pause.begin(), pause.end());
  info.insert(info.end(), {"89ab", "registry.k8s.io/pause:3.10", "/kubepods/pod1/89ab", "u1", "containerd"});
  const auto received = [](const char* pod, std::uint64_t bytes) {
    return Series{&stat(StatId::kWORKLOAD_NETWORK_RECEIVED), {"pod", "shop", pod, "", "web", "eth0"}, bytes};
  };
  Snapshot now = snapshot({{&stat(StatId::kWORKLOAD_MEMORY_USAGE), pause, 5.0},
                           {&stat(StatId::kWORKLOAD_INFO), info, std::uint64_t{1}},
                           received("web-0", 7),
                           received("old-0", 8),
                           received("bare-0", 9)});
  now.for_compat.push_back(
      {&stat(StatId::kWORKLOAD_INFO),
       {"cgroup", "shop", "bare-0", "", "/kubepods/pod2", "", "", "/kubepods/pod2", "u2", ""},
       std::uint64_t{1}});
  const auto all = families(now, {Exporter::kCADVISOR});
  const Family* memory = find(all, "container_memory_usage_bytes");
  const Family* network = find(all, "container_network_receive_bytes_total");
  ASSERT_NE(memory, nullptr);
  ASSERT_NE(network, nullptr);
  EXPECT_THAT(memory->samples.at(0).labels,
              ElementsAre(Pair("namespace", "shop"), Pair("pod", "web-0"), Pair("name", "89ab"),
                          Pair("id", "/kubepods/pod1/89ab"), Pair("image", "registry.k8s.io/pause:3.10")));
  EXPECT_THAT(network->samples.at(0).labels,
              ElementsAre(Pair("namespace", "shop"), Pair("pod", "web-0"), Pair("name", "89ab"),
                          Pair("id", "/kubepods/pod1/89ab"), Pair("image", "registry.k8s.io/pause:3.10"),
                          Pair("interface", "eth0")));
  EXPECT_THAT(network->samples.at(1).labels,
              ElementsAre(Pair("namespace", "shop"), Pair("pod", "old-0"), Pair("interface", "eth0")))
      << "of which only the name is known";
  EXPECT_THAT(network->samples.at(2).labels,
              ElementsAre(Pair("namespace", "shop"), Pair("pod", "bare-0"), Pair("id", "/kubepods/pod2"),
                          Pair("interface", "eth0")))
      << "without a sandbox";
}

TEST(Compat, TheRootHasTheNodesNumbers) {
  const auto filesystem = [](StatId id, const char* device, const char* point, const char* type,
                             double bytes) { return Series{&stat(id), {device, point, type}, bytes}; };
  Snapshot now =
      snapshot({{&stat(StatId::kNODE_BOOT_TIME), {}, std::uint64_t{1767000000}},
                {&stat(StatId::kNODE_MEMORY_TOTAL), {}, std::uint64_t{4096}},
                {&stat(StatId::kNODE_MEMORY_SWAP_TOTAL), {}, std::uint64_t{0}},
                {&stat(StatId::kNODE_NETWORK_RECEIVE_BYTES), {"eth0"}, std::uint64_t{7}},
                {&stat(StatId::kNODE_NETWORK_RECEIVE_BYTES), {"veth3"}, std::uint64_t{6}},
                {&stat(StatId::kNODE_NETWORK_RECEIVE_BYTES), {"lo"}, std::uint64_t{5}},
                filesystem(StatId::kNODE_FILESYSTEM_SIZE, "/dev/sda1", "/", "ext4", 1000),
                filesystem(StatId::kNODE_FILESYSTEM_SIZE, "/dev/sda1", "/var/lib/kubelet", "ext4", 1000),
                filesystem(StatId::kNODE_FILESYSTEM_SIZE, "tmpfs", "/run", "tmpfs", 10),
                filesystem(StatId::kNODE_FILESYSTEM_FREE, "/dev/sda1", "/", "ext4", 400),
                filesystem(StatId::kNODE_FILESYSTEM_FREE, "tmpfs", "/run", "tmpfs", 9)});
  now.time = std::chrono::system_clock::time_point(std::chrono::seconds(1767323045));
  const auto all = families(now, {Exporter::kCADVISOR});
  std::map<std::string, std::map<std::string, double>> found;
  for (const Family& family : all)
    for (const Sample& sample : family.samples) {
      std::string labels;
      for (const auto& [key, value] : sample.labels) labels += key + "=" + value + " ";
      EXPECT_TRUE(found[std::string(family.name)].emplace(labels, sample.value).second);
    }
  using Lines = std::map<std::string, double>;
  EXPECT_EQ(found["container_start_time_seconds"], (Lines{{"id=/ ", 1767000000}}));
  EXPECT_EQ(found["container_last_seen"], (Lines{{"id=/ ", 1767323045}}));
  EXPECT_EQ(found["container_spec_memory_limit_bytes"], (Lines{{"id=/ ", 4096}}));
  EXPECT_EQ(found["container_spec_memory_swap_limit_bytes"], (Lines{{"id=/ ", 0}}));
  EXPECT_EQ(found["container_network_receive_bytes_total"], (Lines{{"id=/ interface=eth0 ", 7}}));
  const Lines limits{{"id=/ device=/dev/sda1 ", 1000}, {"id=/ device=/run ", 10}};
  EXPECT_EQ(found["container_fs_limit_bytes"], limits) << "each device once";
  EXPECT_EQ(found["container_fs_usage_bytes"],
            (Lines{{"id=/ device=/dev/sda1 ", 600}, {"id=/ device=/run ", 1}}));
}

TEST(Compat, TheMachineIsCountedByItsProcessorsPlaces) {
  const auto processor = [](const char* cpu, const char* package, const char* core) {
    return Series{
        &stat(StatId::kNODE_PROCESSOR), {cpu, "AuthenticAMD", "AMD EPYC", package, core}, std::uint64_t{1}};
  };
  const auto values = [](const Snapshot& now) {
    std::map<std::string, double> found;
    for (const Family& family : families(now, {Exporter::kCADVISOR}))
      if (family.name.starts_with("machine_")) {
        found[std::string(family.name)] = family.samples.at(0).value;
        EXPECT_THAT(family.samples.at(0).labels, ElementsAre(Pair("machine_id", "m"), Pair("boot_id", "b")));
      }
    return found;
  };
  const Series ids{&stat(StatId::kNODE_MACHINE), {"m", "", "b"}, std::uint64_t{1}};
  // Two packages, whose cores have the same numbers; two threads on one core.
  EXPECT_THAT(values(snapshot({processor("0", "0", "0"),
                               processor("1", "0", "0"),
                               processor("2", "1", "0"),
                               ids,
                               {&stat(StatId::kNODE_MEMORY_TOTAL), {}, std::uint64_t{4096}},
                               {&stat(StatId::kNODE_MEMORY_SWAP_TOTAL), {}, std::uint64_t{8}}})),
              ElementsAre(Pair("machine_cpu_cores", 3), Pair("machine_cpu_physical_cores", 2),
                          Pair("machine_cpu_sockets", 2), Pair("machine_memory_bytes", 4096),
                          Pair("machine_swap_bytes", 8)));
  EXPECT_THAT(values(snapshot({processor("0", "", ""), ids})), ElementsAre(Pair("machine_cpu_cores", 1)))
      << "what nobody knows is not 1";
}

TEST(Compat, AVirtualMachinesEnergyIsThatOfItsUnit) {
  const auto unit = [](const char* name) {
    return Series{&stat(StatId::kWORKLOAD_ENERGY), {"unit", "", "", "", name}, 5.0};
  };
  const auto all = families(snapshot({unit("ssh.service"), unit("machine-qemu\\x2d3\\x2dweb\\x2d1.scope"),
                                      unit("machine-nspawn.scope")}),
                            {Exporter::kKEPLER});
  const Family* vms = find(all, "kepler_vm_cpu_joules_total");
  ASSERT_NE(vms, nullptr);
  ASSERT_EQ(vms->samples.size(), 1U);
  EXPECT_EQ(vms->samples.at(0).value, 5);
  EXPECT_THAT(vms->samples.at(0).labels, ElementsAre(Pair("vm_name", "web-1"), Pair("hypervisor", "kvm"),
                                                     Pair("state", "running"), Pair("zone", "node")));
}

TEST(Compat, ZonesOfRaplByNameNumberAndPlace) {
  const auto zone = [](const char* part, const char* place) {
    return Series{&stat(StatId::kENERGY_PART), {"powercap", part, place}, 1.5};
  };
  const auto all = families(snapshot({zone("package-0", "intel-rapl:0"),
                                      zone("package-1", "intel-rapl:1"),
                                      zone("package-1/dram", "intel-rapl:1:0"),
                                      zone("psys-1", "intel-rapl:2"),
                                      zone("package-0-die-1", "intel-rapl:3"),
                                      {&stat(StatId::kENERGY_PART), {"meter", "package-0", ""}, 2.0}}),
                            {Exporter::kNODE});
  const Family* package = find(all, "node_rapl_package_joules_total");
  ASSERT_NE(package, nullptr);
  ASSERT_EQ(package->samples.size(), 2U);
  EXPECT_EQ(package->samples.at(1).value, 1.5);
  EXPECT_THAT(package->samples.at(1).labels,
              ElementsAre(Pair("index", "1"), Pair("path", "/sys/class/powercap/intel-rapl:1")));
  const Family* dram = find(all, "node_rapl_dram_joules_total");
  ASSERT_NE(dram, nullptr);
  EXPECT_THAT(dram->samples.at(0).labels,
              ElementsAre(Pair("index", "1"), Pair("path", "/sys/class/powercap/intel-rapl:1:0")));
  const Family* psys = find(all, "node_rapl_psys_joules_total");
  ASSERT_NE(psys, nullptr);
  EXPECT_THAT(psys->samples.at(0).labels,
              ElementsAre(Pair("index", "1"), Pair("path", "/sys/class/powercap/intel-rapl:2")));
  EXPECT_EQ(find(all, "node_rapl_core_joules_total"), nullptr);
}

TEST(Compat, QuotaByPeriodIsTheLimit) {
  const auto all = families(snapshot({{&stat(StatId::kWORKLOAD_CPU_LIMIT), kWeb, 0.25},
                                      {&stat(StatId::kWORKLOAD_CPU_SHARES), kWeb, 256.0}}),
                            {Exporter::kCADVISOR});
  const Family* quota = find(all, "container_spec_cpu_quota");
  const Family* period = find(all, "container_spec_cpu_period");
  ASSERT_NE(quota, nullptr);
  ASSERT_NE(period, nullptr);
  EXPECT_EQ(period->samples.at(0).value, 100000);
  EXPECT_EQ(period->samples.at(0).labels, quota->samples.at(0).labels);
  EXPECT_EQ(quota->samples.at(0).value / period->samples.at(0).value, 0.25);
  EXPECT_EQ(period->kind, Kind::kGauge);
}

TEST(Compat, FaultsAreThoseOfBothScopesAndAnOomIsNoFailure) {
  const auto all = families(snapshot({{&stat(StatId::kWORKLOAD_PAGE_FAULTS), kWeb, std::uint64_t{70}},
                                      {&stat(StatId::kWORKLOAD_MAJOR_PAGE_FAULTS), kWeb, std::uint64_t{3}},
                                      {&stat(StatId::kWORKLOAD_OOMS), kWeb, std::uint64_t{9}}}),
                            {Exporter::kCADVISOR});
  ASSERT_EQ(all.size(), 1U) << "times at a limit are counted by v1 only, and not by us";
  EXPECT_EQ(all.at(0).name, "container_memory_failures_total");
  EXPECT_EQ(all.at(0).kind, Kind::kCounter);
  std::map<std::string, double> by_type;
  for (const Sample& sample : all.at(0).samples) {
    const std::map<std::string, std::string> labels(sample.labels.begin(), sample.labels.end());
    by_type[labels.at("failure_type") + ' ' + labels.at("scope")] = sample.value;
  }
  EXPECT_THAT(by_type, ElementsAre(Pair("pgfault container", 70), Pair("pgfault hierarchy", 70),
                                   Pair("pgmajfault container", 3), Pair("pgmajfault hierarchy", 3)));
}

// The series of a container that has ended stays for a while, but not its last-seen time.
TEST(Compat, AContainerIsSeenAsLongAsItIsThere) {
  Snapshot now = snapshot({{&stat(StatId::kWORKLOAD_CPU), kWeb, 2.0},
                           {&stat(StatId::kWORKLOAD_CPU), kSide, 2.0},
                           {&stat(StatId::kWORKLOAD_TASKS), kWeb, std::uint64_t{4}}});
  now.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1767323045250));
  const auto all = families(now, {Exporter::kCADVISOR});
  const Family* seen = find(all, "container_last_seen");
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->kind, Kind::kGauge);
  ASSERT_EQ(seen->samples.size(), 1U);
  EXPECT_NEAR(seen->samples.at(0).value, 1767323045.25, 1e-3);
  EXPECT_THAT(seen->samples.at(0).labels,
              ElementsAre(Pair("container", "app"), Pair("namespace", "shop"), Pair("pod", "web-0")));
}

// dcgm-exporter adds the pod to which a GPU was given to the GPU's own series.
TEST(Compat, AGpuIsLabelledWithThePodThatHasItAlone) {
  const auto use = [](const std::string& device, const Labels& who) {
    std::vector<std::string> labels{"nvidia", device, "GPU-" + device, ""};
    labels.insert(labels.end(), who.begin(), who.end());
    return Series{&stat(StatId::kWORKLOAD_DEVICE_PROCESSES), std::move(labels), std::uint64_t{1}};
  };
  const auto power = [](std::string device) {
    return Series{&stat(StatId::kDEVICE_POWER), {"nvidia", device, "GPU-" + device}, 70.0};
  };
  const Labels other{"pod", "shop", "train-0", "app", "train"};
  const auto all = families(
      snapshot({power("0000:0a:00.0"), power("0000:0b:00.0"), power("0000:0c:00.0"), power("0000:0d:00.0"),
                use("0000:0a:00.0", kWeb), use("0000:0a:00.0", kPodman), use("0000:0b:00.0", kWeb),
                use("0000:0b:00.0", kSide), use("0000:0c:00.0", kWeb), use("0000:0c:00.0", other)}),
      {Exporter::kDCGM});
  ASSERT_EQ(all.size(), 1U);
  const auto& samples = all.at(0).samples;
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_THAT(samples.at(0).labels,
              ElementsAre(Pair("UUID", "GPU-0000:0a:00.0"), Pair("pci_bus_id", "00000000:0A:00.0"),
                          Pair("container", "app"), Pair("namespace", "shop"), Pair("pod", "web-0")));
  EXPECT_THAT(samples.at(1).labels,
              ElementsAre(testing::_, testing::_, Pair("namespace", "shop"), Pair("pod", "web-0")))
      << "two containers of one pod";
  EXPECT_EQ(samples.at(2).labels.size(), 2U) << "shared";
  EXPECT_EQ(samples.at(3).labels.size(), 2U) << "not in use";
}

TEST(Compat, OfNvidiasGpusInDcgmsUnits) {
  const auto all = families(
      snapshot({{&stat(StatId::kDEVICE_UTILIZATION), {"nvidia", "0000:17:00.0", "GPU-1"}, 0.25},
                {&stat(StatId::kDEVICE_UTILIZATION), {"amd", "0000:18:00.0", "x"}, 0.5},
                {&stat(StatId::kDEVICE_TEMPERATURE), {"nvidia", "0000:17:00.0", "GPU-1", "memory"}, 61.0},
                {&stat(StatId::kDEVICE_CLOCK), {"nvidia", "0000:17:00.0", "GPU-1", "sm"}, 1.98e9},
                {&stat(StatId::kDEVICE_ENERGY), {"nvidia", "0000:17:00.0", "GPU-1"}, 7.5},
                {&stat(StatId::kDEVICE_MEMORY_USED), {"nvidia", "0000:17:00.0", "GPU-1"}, double{3 << 20}}}),
      {Exporter::kDCGM});
  ASSERT_EQ(all.size(), 5U);
  for (const auto& [name, value] :
       {std::pair("DCGM_FI_DEV_GPU_UTIL", 25.0), std::pair("DCGM_FI_DEV_MEMORY_TEMP", 61.0),
        std::pair("DCGM_FI_DEV_SM_CLOCK", 1980.0), std::pair("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 7500.0),
        std::pair("DCGM_FI_DEV_FB_USED", 3.0)}) {
    const Family* theirs = find(all, name);
    ASSERT_NE(theirs, nullptr) << name;
    ASSERT_EQ(theirs->samples.size(), 1U) << name;
    EXPECT_DOUBLE_EQ(theirs->samples.at(0).value, value) << name;
    EXPECT_THAT(theirs->samples.at(0).labels,
                ElementsAre(Pair("UUID", "GPU-1"), Pair("pci_bus_id", "00000000:17:00.0")));
  }
}

TEST(Compat, APodsEnergyIsThatOfItsContainers) {
  const auto all = families(snapshot({{&stat(StatId::kWORKLOAD_ENERGY), kWeb, 2.0},
                                      {&stat(StatId::kWORKLOAD_ENERGY), kSide, 3.0},
                                      {&stat(StatId::kWORKLOAD_ENERGY), kUnit, 4.0},
                                      {&stat(StatId::kNODE_ENERGY_SYSTEM), {}, 5.0}}),
                            {Exporter::kKEPLER});
  const Family* pods = find(all, "kepler_pod_cpu_joules_total");
  ASSERT_NE(pods, nullptr);
  ASSERT_EQ(pods->samples.size(), 1U);
  EXPECT_EQ(pods->samples.at(0).value, 5.0);
  // One family from two of our rows, with one TYPE line.
  const Family* old = find(all, "kepler_container_joules_total");
  ASSERT_NE(old, nullptr);
  ASSERT_EQ(old->samples.size(), 3U);
  double sum = 0;
  for (const Sample& sample : old->samples) sum += sample.value;
  EXPECT_EQ(sum, 14.0) << "units are of the system";
}

TEST(Compat, APlatformsEnergyHasItsDevicesInIt) {
  const auto all = families(snapshot({{&stat(StatId::kNODE_ENERGY_DEVICES), {}, 3.0},
                                      {&stat(StatId::kNODE_ENERGY_ACTIVE), {}, 2.0},
                                      {&stat(StatId::kNODE_ENERGY_IDLE), {}, 4.0}}),
                            {Exporter::kKEPLER});
  const Family* platform = find(all, "kepler_node_platform_joules_total");
  ASSERT_NE(platform, nullptr);
  ASSERT_EQ(platform->samples.size(), 2U);
  std::map<std::string, double> by_mode;
  for (const Sample& sample : platform->samples)
    for (const auto& [key, value] : sample.labels)
      if (key == "mode") by_mode[value] = sample.value;
  EXPECT_THAT(by_mode, ElementsAre(Pair("dynamic", 5), Pair("idle", 4)));
}

// Each row of the table with one of our series: no two of a name have the same labels, and no name is one of ours.
TEST(Compat, NoSeriesIsThereTwice) {
  std::vector<Series> series;
  for (const Stat& s : all_stats()) {
    if (s.kind == Kind::kHistogram || !s.open_label) {
      if (s.counted_by == CountedBy::kMachine && s.kind != Kind::kHistogram) series.push_back({&s, {}, 1.0});
      continue;
    }
    const std::size_t labels = label_count(family(s.family).labels);
    for (const Labels& who : {kWeb, kSide, kPodman, kUnit}) {
      const bool of_workloads = family(s.family).labels.starts_with("kind,");
      if (!of_workloads && who != kWeb) continue;
      std::vector<std::string> values;
      if (of_workloads) values.assign(who.begin(), who.end());
      values.resize(labels, "x");
      series.push_back({&s, std::move(values), 1.0});
    }
  }
  std::set<std::string_view> ours;
  for (const stats::Family& f : stats::families()) ours.insert(f.name);
  for (const Family& theirs : families(snapshot(series), kAll)) {
    EXPECT_FALSE(ours.contains(theirs.name)) << theirs.name;
    std::set<LabelPairs> seen;
    for (const Sample& sample : theirs.samples) {
      for (const auto& [key, value] : sample.labels) EXPECT_FALSE(value.empty()) << theirs.name << ' ' << key;
      EXPECT_TRUE(seen.insert(sample.labels).second) << theirs.name;
    }
  }
}

}  // namespace
}  // namespace flowtap::stats::compat
