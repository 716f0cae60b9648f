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
  const auto all =
      families(snapshot({{&stat(StatId::kWORKLOAD_CPU_LIMIT), kWeb, 0.25}}), {Exporter::kCADVISOR});
  const Family* quota = find(all, "container_spec_cpu_quota");
  const Family* period = find(all, "container_spec_cpu_period");
  ASSERT_NE(quota, nullptr);
  ASSERT_NE(period, nullptr);
  EXPECT_EQ(period->samples.at(0).value, 100000);
  EXPECT_EQ(period->samples.at(0).labels, quota->samples.at(0).labels);
  EXPECT_EQ(quota->samples.at(0).value / period->samples.at(0).value, 0.25);
  EXPECT_EQ(period->kind, Kind::kGauge);
}

TEST(Compat, FaultsAreOfTheHierarchyAndAnOomIsNoFailure) {
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
    EXPECT_EQ(labels.at("scope"), "hierarchy");
    by_type[labels.at("failure_type")] = sample.value;
  }
  EXPECT_THAT(by_type, ElementsAre(Pair("pgfault", 70), Pair("pgmajfault", 3)));
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
