// Kepler's counters and gauges over several snapshots, as Prometheus sees them: increase() is what was used, even when
// containers end.
#include "stats/compat/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

namespace flowtap::stats::compat {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

const Labels kInit{"pod", "shop", "web-0", "init", "web"};
const Labels kWeb{"pod", "shop", "web-0", "app", "web"};
const Labels kOther{"pod", "shop", "db-0", "db", "db"};
const Labels kUnit{"unit", "", "", "", "ssh.service"};

Series joules(StatId id, Labels labels, double value) {
  return {&stat(id), std::move(labels), value};
}
Series workload(const Labels& who, double value) {
  return joules(StatId::kWORKLOAD_ENERGY, who, value);
}

using Values = std::map<std::map<std::string, std::string>, double>;

/// Publishes snapshots one after the other, and scrapes after each.
class Scraper {
 public:
  void next(std::vector<Series> series, std::chrono::milliseconds later = std::chrono::seconds(1)) {
    now_ += later;
    Snapshot snapshot;
    snapshot.steady = std::chrono::steady_clock::time_point(now_);
    snapshot.measured = snapshot.steady;
    snapshot.series = std::move(series);
    const auto past = history_.next(snapshot);
    last_.clear();
    for (const Family& theirs : families(snapshot, {Exporter::kKEPLER}, *past)) {
      Values& values = last_[std::string(theirs.name)];
      for (const Sample& sample : theirs.samples)
        values.emplace(std::map<std::string, std::string>(sample.labels.begin(), sample.labels.end()),
                       sample.value);
    }
    for (const auto& [name, values] : last_)
      for (const auto& [labels, value] : values) see(name, labels, value);
  }
  [[nodiscard]] const Values& of(const std::string& name) { return last_[name]; }
  [[nodiscard]] double only(const std::string& name, const std::string& key, const std::string& value) {
    for (const auto& [labels, number] : last_[name])
      if (const auto at = labels.find(key); at != labels.end() && at->second == value) return number;
    return -1;
  }
  /// sum(increase(name[all the time])), without Prometheus' extrapolation at the ends; a value that falls means a
  /// restart.
  [[nodiscard]] double increase(const std::string& name) const {
    const auto at = increases_.find(name);
    return at == increases_.end() ? 0 : at->second;
  }

 private:
  void see(const std::string& name, const std::map<std::string, std::string>& labels, double value) {
    const auto [at, fresh] = seen_.try_emplace({name, labels}, value);
    if (!fresh) increases_[name] += value >= at->second ? value - at->second : value;
    at->second = value;
  }

  std::chrono::milliseconds now_{1'000'000};
  History history_{{Exporter::kKEPLER}, "node-1"};
  std::map<std::string, Values> last_;
  std::map<std::pair<std::string, std::map<std::string, std::string>>, double> seen_;
  std::map<std::string, double> increases_;
};

TEST(CompatHistory, AContainersEnergyIsCountedOnceOverItsEnd) {
  Scraper scraper;
  const auto node = [](double system, double ended) {
    return std::vector<Series>{joules(StatId::kNODE_ENERGY_SYSTEM, {}, system),
                               joules(StatId::kNODE_ENERGY_ENDED, {}, ended)};
  };
  auto series = node(1, 0);
  series.push_back(workload(kWeb, 500));
  series.push_back(workload(kUnit, 50));
  scraper.next(series);
  series = node(2, 0);
  series.push_back(workload(kWeb, 505));
  series.push_back(workload(kUnit, 57));
  scraper.next(series);
  for (int i = 0; i < 200; ++i) scraper.next(node(3, 562));  // both have ended
  EXPECT_DOUBLE_EQ(scraper.increase("kepler_container_joules_total"), 5 + 7 + 2);
  EXPECT_EQ(scraper.of("kepler_container_joules_total").begin()->second, 3 + 57)
      << "the unit's stays in the system's";
}

TEST(CompatHistory, APodsCounterDoesNotFallWhenAContainerOfItEnds) {
  Scraper scraper;
  const std::string pods = "kepler_pod_cpu_joules_total";
  scraper.next({workload(kInit, 100), workload(kWeb, 1), workload(kOther, 7)});
  scraper.next({workload(kInit, 110), workload(kWeb, 2), workload(kOther, 7)});
  EXPECT_EQ(scraper.only(pods, "pod_name", "web-0"), 112);
  for (int i = 0; i < 200; ++i) {
    scraper.next({workload(kWeb, 4), workload(kOther, 7)});
    EXPECT_EQ(scraper.only(pods, "pod_name", "web-0"), 114);
  }
  EXPECT_DOUBLE_EQ(scraper.increase(pods), 11 + 2);
  scraper.next({workload(kOther, 8)});
  EXPECT_EQ(scraper.of(pods).size(), 1U) << "a pod is there as long as one of its containers is";
}

TEST(CompatHistory, AnotherOfTheSameNameGoesOnFromThere) {
  Scraper scraper;
  const std::string pods = "kepler_pod_cpu_joules_total";
  scraper.next({workload(kInit, 100), workload(kWeb, 1)});
  scraper.next({workload(kWeb, 1)});
  scraper.next({workload(kInit, 3), workload(kWeb, 1)});
  EXPECT_EQ(scraper.only(pods, "pod_name", "web-0"), 104);
  EXPECT_DOUBLE_EQ(scraper.increase(pods), 3);
}

Series info(const Labels& who, const std::string& id, const std::string& uid) {
  std::vector<std::string> labels(who.begin(), who.end());
  labels.insert(labels.end(), {id, "", "/kubepods/" + id, uid, "cri-o"});
  return {&stat(StatId::kWORKLOAD_INFO), std::move(labels), std::uint64_t{1}};
}

// Kepler's dashboards join them like this: on (pod_id).
TEST(CompatHistory, AContainerHasItsIdsAndThoseOfItsPodAlsoWhenItHasEnded) {
  Scraper scraper;
  const std::string pods = "kepler_pod_cpu_joules_total";
  const std::string containers = "kepler_container_cpu_joules_total";
  const std::map<std::string, std::string> web{
      {"pod_id", "uid-1"},  {"pod_name", "web-0"},     {"pod_namespace", "shop"},
      {"state", "running"}, {"container_name", "app"}, {"container_id", "c1"},
      {"runtime", "crio"},  {"zone", "node"},          {"node_name", "node-1"}};
  scraper.next(
      {info(kInit, "c0", "uid-1"), workload(kInit, 100), info(kWeb, "c1", "uid-1"), workload(kWeb, 1)});
  EXPECT_EQ(scraper.of(containers).count(web), 1U);
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-1"), 101);
  scraper.next({workload(kInit, 110), info(kWeb, "c1", "uid-1"), workload(kWeb, 2)});
  EXPECT_EQ(scraper.only(containers, "container_id", "c0"), 110) << "which has ended";
  EXPECT_EQ(scraper.of(pods).size(), 1U);
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-1"), 112);
  scraper.next({});
  scraper.next({workload(kInit, 110), info(kWeb, "c1", "uid-1"), workload(kWeb, 3)});
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-1"), 113) << "after a cycle in which nothing was read";
  EXPECT_DOUBLE_EQ(scraper.increase(pods), 12);
}

// A pod of a StatefulSet: the name stays, but it is another pod.
TEST(CompatHistory, APodThatIsMadeAgainIsAnotherSeries) {
  Scraper scraper;
  const std::string pods = "kepler_pod_cpu_joules_total";
  const auto both = [&](const std::string& web, double webs, const std::string& init, double inits) {
    scraper.next({info(kWeb, "c-" + web, web), workload(kWeb, webs), info(kInit, "d-" + init, init),
                  workload(kInit, inits)});
  };
  both("uid-1", 1000, "uid-1", 500);
  both("uid-1", 1004, "uid-1", 500);
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-1"), 1504);
  both("uid-2", 1005, "uid-1", 500);  // one after the other
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-1"), 1504);
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-2"), 1) << "what came since";
  both("uid-2", 1007, "uid-2", 503);
  EXPECT_EQ(scraper.of(pods).size(), 1U);
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-2"), 6);
  EXPECT_DOUBLE_EQ(scraper.increase(pods), 4 + 5);
  scraper.next({info(kWeb, "c-uid-2", "uid-2"), workload(kWeb, 1008)});
  EXPECT_EQ(scraper.only(pods, "pod_id", "uid-2"), 7) << "over the end of a part";
  scraper.next({workload(kOther, 1)});
  EXPECT_EQ(scraper.of(pods).size(), 1U) << "nothing is left of it";
}

// The source of the energy is away: none of its series is there, and later all are back at their old values.
TEST(CompatHistory, WhatIsNotReadForALongTimeHasNotEnded) {
  Scraper scraper;
  const std::string pods = "kepler_pod_cpu_joules_total";
  scraper.next({workload(kInit, 100), workload(kWeb, 1)});
  scraper.next({workload(kWeb, 1)});
  for (int i = 0; i < 500; ++i) scraper.next({});
  EXPECT_TRUE(scraper.of(pods).empty());
  scraper.next({workload(kWeb, 2)});
  EXPECT_EQ(scraper.only(pods, "pod_name", "web-0"), 102);
  EXPECT_DOUBLE_EQ(scraper.increase(pods), 1);
}

// Sums of fractions in another order differ by rounding, and for Prometheus a counter that falls by one has begun anew.
TEST(CompatHistory, NoSumFallsByARounding) {
  Scraper scraper;
  const Labels third{"pod", "shop", "web-0", "third", "web"};
  for (int i = 0; i < 100; ++i) {
    const double a = 1e-6 * (100'000'000 + 7 * i);
    scraper.next({workload(kInit, a), workload(third, 0.1), workload(kWeb, 0.7)});
    scraper.next({workload(third, 0.1), workload(kWeb, 0.7)});
    scraper.next({workload(kInit, a), workload(third, 0.1)});
  }
  EXPECT_LT(scraper.increase("kepler_pod_cpu_joules_total"), 1);
}

TEST(CompatHistory, OfAllDevicesOfAPodTheSum) {
  Scraper scraper;
  const auto gpu = [](const std::string& device, const Labels& who, double value) {
    std::vector<std::string> labels{"nvidia", device, "GPU-" + device, ""};
    labels.insert(labels.end(), who.begin(), who.end());
    return Series{&stat(StatId::kWORKLOAD_DEVICE_ENERGY), std::move(labels), value};
  };
  scraper.next({gpu("a", kInit, 5), gpu("a", kWeb, 10), gpu("b", kWeb, 20)});
  EXPECT_EQ(scraper.only("kepler_pod_gpu_joules_total", "pod_name", "web-0"), 35);
  EXPECT_EQ(scraper.only("kepler_container_gpu_joules_total", "container_name", "app"), 30);
  scraper.next({gpu("b", kWeb, 21)});
  EXPECT_EQ(scraper.only("kepler_pod_gpu_joules_total", "pod_name", "web-0"), 36);
  EXPECT_EQ(scraper.only("kepler_container_gpu_joules_total", "container_name", "app"), 31);
}

std::vector<Series> node(double active, double idle, const std::map<std::string, double>& parts) {
  std::vector<Series> all{joules(StatId::kNODE_ENERGY, {}, active + idle),
                          joules(StatId::kNODE_ENERGY_IDLE, {}, idle),
                          joules(StatId::kNODE_ENERGY_ACTIVE, {}, active)};
  for (const auto& [part, value] : parts)
    all.push_back(joules(StatId::kENERGY_PART, {"powercap", part, ""}, value));
  return all;
}

TEST(CompatHistory, AZoneIsActiveAndIdleAsTheNodeIs) {
  Scraper scraper;
  scraper.next(node(10, 30, {{"package-0", 20}, {"package-1", 20}, {"package-0/dram", 8}}));
  scraper.next(node(20, 30, {{"package-0", 26}, {"package-1", 24}, {"package-0/dram", 9}}));
  EXPECT_EQ(scraper.only("kepler_node_cpu_joules_total", "zone", "node"), 50);
  EXPECT_EQ(scraper.only("kepler_node_cpu_joules_total", "zone", "package"), 50);
  EXPECT_EQ(scraper.only("kepler_node_cpu_joules_total", "zone", "dram"), 9);
  EXPECT_EQ(scraper.only("kepler_node_cpu_active_joules_total", "zone", "package"), 20)
      << "a quarter of 40, all of 10";
  EXPECT_EQ(scraper.only("kepler_node_cpu_idle_joules_total", "zone", "package"), 30);
  using Of = std::map<std::string, std::string>;
  EXPECT_THAT(
      scraper.of("kepler_node_package_joules_total"),
      UnorderedElementsAre(Pair(Of{{"package", "0"}, {"instance", "node-1"}, {"mode", "dynamic"}}, 11),
                           Pair(Of{{"package", "0"}, {"instance", "node-1"}, {"mode", "idle"}}, 15),
                           Pair(Of{{"package", "1"}, {"instance", "node-1"}, {"mode", "dynamic"}}, 9),
                           Pair(Of{{"package", "1"}, {"instance", "node-1"}, {"mode", "idle"}}, 15)));
  EXPECT_EQ(scraper.of("kepler_node_dram_joules_total").size(), 2U);
  EXPECT_THAT(scraper.of("kepler_node_core_joules_total"), testing::IsEmpty()) << "there is no such counter";
  EXPECT_DOUBLE_EQ(scraper.increase("kepler_node_package_joules_total"), 10);
  // One socket is not read once: nothing falls, and its counts of that time come later.
  scraper.next(node(30, 30, {{"package-0", 30}}));
  EXPECT_EQ(scraper.only("kepler_node_cpu_joules_total", "zone", "package"), 54);
  scraper.next(node(40, 30, {{"package-0", 30}, {"package-1", 30}}));
  EXPECT_EQ(scraper.only("kepler_node_cpu_joules_total", "zone", "package"), 60);
}

// The platform's energy includes its GPUs; the part that is divided by CPU time does not.
TEST(CompatHistory, AZoneIsActiveAsTheCpusAreAndAPlatformHasItsDevices) {
  Scraper scraper;
  const auto with_devices = [](double active, double idle, double devices, double psys) {
    auto all = node(active, idle, {{"psys", psys}});
    all.front() = joules(StatId::kNODE_ENERGY, {}, active + idle + devices);
    all.push_back(joules(StatId::kNODE_ENERGY_DEVICES, {}, devices));
    return all;
  };
  scraper.next(with_devices(10, 10, 100, 120));
  scraper.next(with_devices(20, 20, 200, 240));
  EXPECT_EQ(scraper.only("kepler_node_cpu_joules_total", "zone", "node"), 40);
  EXPECT_EQ(scraper.only("kepler_node_cpu_active_joules_total", "zone", "node"), 20);
  EXPECT_EQ(scraper.only("kepler_node_cpu_idle_joules_total", "zone", "node"), 20);
  EXPECT_EQ(scraper.only("kepler_node_cpu_active_joules_total", "zone", "psys"), 120) << "a half";
  EXPECT_EQ(scraper.only("kepler_node_platform_joules_total", "mode", "dynamic"), 220);
  EXPECT_EQ(scraper.only("kepler_node_platform_joules_total", "mode", "idle"), 20);
}

TEST(CompatHistory, WattsAreMeansOfTheLastInterval) {
  Scraper scraper;
  const auto at = [&](double t) {
    auto series = node(10 * t, 20 * t, {{"package-0", 25 * t}});
    series.push_back(workload(kInit, 1 * t));
    series.push_back(workload(kWeb, 2 * t));
    scraper.next(std::move(series));
  };
  for (int t = 0; t < 5; ++t) {
    at(t);
    EXPECT_TRUE(scraper.of("kepler_node_cpu_watts").empty()) << "of no interval there is no power: " << t;
  }
  for (int t = 5; t < 9; ++t) {
    at(t);
    EXPECT_DOUBLE_EQ(scraper.only("kepler_node_cpu_watts", "zone", "node"), 30);
    EXPECT_DOUBLE_EQ(scraper.only("kepler_node_cpu_watts", "zone", "package"), 25);
    EXPECT_DOUBLE_EQ(scraper.only("kepler_node_cpu_active_watts", "zone", "node"), 10);
    EXPECT_DOUBLE_EQ(scraper.only("kepler_node_cpu_idle_watts", "zone", "node"), 20);
    EXPECT_DOUBLE_EQ(scraper.only("kepler_container_cpu_watts", "container_name", "app"), 2);
    EXPECT_DOUBLE_EQ(scraper.only("kepler_pod_cpu_watts", "pod_name", "web-0"), 3);
  }
  scraper.next({}, std::chrono::seconds(20));
  EXPECT_TRUE(scraper.of("kepler_node_cpu_watts").empty()) << "it is not known now";
}

TEST(CompatHistory, TheCpusUseIsThatOfTheLastInterval) {
  Scraper scraper;
  const auto cpu = [](const char* number, double user, double idle, double iowait) {
    return std::vector<Series>{joules(StatId::kNODE_CPU, {number, "user"}, user),
                               joules(StatId::kNODE_CPU, {number, "idle"}, idle),
                               joules(StatId::kNODE_CPU, {number, "iowait"}, iowait)};
  };
  scraper.next(cpu("0", 100, 100, 0));
  scraper.next(cpu("0", 101, 102, 1), std::chrono::seconds(5));
  ASSERT_EQ(scraper.of("kepler_node_cpu_usage_ratio").size(), 1U);
  EXPECT_DOUBLE_EQ(scraper.only("kepler_node_cpu_usage_ratio", "node_name", "node-1"), 0.25);
  auto two = cpu("0", 101, 107, 1);
  for (Series& one : cpu("1", 50, 50, 50)) two.push_back(std::move(one));
  scraper.next(two, std::chrono::seconds(5));
  EXPECT_TRUE(scraper.of("kepler_node_cpu_usage_ratio").empty()) << "another CPU came with all its time";
}

}  // namespace
}  // namespace flowtap::stats::compat
