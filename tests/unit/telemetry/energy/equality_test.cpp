// From counters that wrap, jump and go to the exported series: those of workloads, ended ones, the system, idle and
// devices add up to the node's.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <utility>

#include "telemetry/energy/joules.hpp"
#include "telemetry/workloads/workload_energy.hpp"
#include "tests/unit/telemetry/energy/energy_node.hpp"

namespace flowtap::telemetry {
namespace {

using test::add_zone;
using test::EnergyNode;
using test::kJoule;
using test::set_cpu;
using test::set_zone;

constexpr std::uint64_t kTick = 10'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;

WorkloadName container_of(unsigned pod, const std::string& container) {
  const std::string name = "web-5d69c7f9c9-" + std::to_string(10000 + pod);
  return {.kind = WorkloadKind::kPod, .ns = "shop", .pod = name, .container = container, .workload = "web"};
}

// A node of eight CPUs with pods that come and go, a unit that stays, the host, and workloads that nobody knows.
class Workloads {
 public:
  explicit Workloads(std::mt19937_64& random) : random_(random) {
    all_[{.kind = WorkloadKind::kUnit, .ns = {}, .pod = {}, .container = {}, .workload = "kubelet.service"}];
    all_[{.kind = WorkloadKind::kHost, .ns = {}, .pod = {}, .container = {}, .workload = {}}];
    all_[WorkloadName{}];
  }

  // One second of the node's life; returns the nanoseconds of all CPUs.
  std::uint64_t work() {
    std::erase_if(all_, [&](const auto& entry) {
      return entry.first.kind == WorkloadKind::kPod && random_() % 25 == 0;
    });
    while (all_.size() < 20 && random_() % 3 != 0) {
      unnamed_[container_of(pods_, "app")] = random_() % 2 == 0 ? 0 : random_() % 11;
      all_[container_of(pods_, "app")];
      all_[container_of(pods_++, "POD")];
    }
    std::erase_if(unnamed_, [](const auto& entry) { return entry.second == 0; });
    for (auto& [name, seconds] : unnamed_) --seconds;
    std::uint64_t used = 0;
    for (auto& [name, workload] : all_) {
      const std::uint64_t ns = random_() % (8 * kSecond / all_.size());
      workload.usage.run_ns += ns;
      used += ns;
    }
    return used;
  }
  // The workloads whose names are known by now.
  [[nodiscard]] std::map<WorkloadName, Workload> known() const {
    auto known = all_;
    for (const auto& [name, seconds] : unnamed_) known.erase(name);
    return known;
  }
  [[nodiscard]] unsigned pods() const { return pods_; }

 private:
  std::mt19937_64& random_;
  std::map<WorkloadName, Workload> all_;
  std::map<WorkloadName, std::uint64_t> unnamed_;  // and for how many more seconds
  unsigned pods_ = 0;
};

// Microjoules, from the exported values only.
struct Exported {
  std::optional<std::uint64_t> node;
  std::uint64_t parts = 0;
  std::uint64_t devices = 0;
  std::size_t workloads = 0;

  explicit Exported(const Collected& out) {
    for (const stats::Series& series : out.series) {
      using stats::StatId;
      const auto* joules = std::get_if<double>(&series.value);
      if (joules == nullptr) continue;
      const auto uj = static_cast<std::uint64_t>(std::llround(static_cast<long double>(*joules) * 1e6L));
      switch (series.stat->id) {
        case StatId::kNODE_ENERGY:
          node = uj;
          break;
        case StatId::kNODE_ENERGY_DEVICES:
          devices = uj;
          parts += uj;
          break;
        case StatId::kWORKLOAD_ENERGY:
          ++workloads;
          parts += uj;
          break;
        case StatId::kNODE_ENERGY_ENDED:
        case StatId::kNODE_ENERGY_SYSTEM:
        case StatId::kNODE_ENERGY_IDLE:
          parts += uj;
          break;
        default:
          break;
      }
    }
  }
};

class EnergyEquality : public testing::TestWithParam<bool> {};

TEST_P(EnergyEquality, AllExportedJoulesSumToTheNodes) {
  const bool psys = GetParam();
  std::mt19937_64 random(psys ? 1 : 2);  // NOLINT(bugprone-random-generator-seed): the same in every run
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  const auto board = std::make_shared<UsageBoard>();
  EnergyNode node(std::make_shared<WorkloadEnergy>(board));
  Workloads workloads(random);
  struct Zone {
    const char* place;
    const char* name;
    std::uint64_t at;
    std::uint64_t watts;
    unsigned away = 0;
    bool shown = false;
  };
  std::vector<Zone> zones{{"intel-rapl:0", "package-0", test::kZoneModulus - 900 * kJoule, 200},
                          {"intel-rapl:0:0", "dram", 5, 30},
                          {"intel-rapl:1", "package-1", test::kZoneModulus / 2, 200},
                          {"intel-rapl:1:0", "dram", 0, 30}};
  if (psys) zones.push_back({"intel-rapl:2", "psys", test::kZoneModulus - 90'000 * kJoule, 100});

  const Zone* const platform = psys ? &zones.back() : nullptr;
  std::uint64_t busy = 0;
  std::uint64_t idle = 0;
  unsigned rounds = 0;
  unsigned jumps = 0;
  unsigned wraps = 0;
  unsigned losses = 0;
  std::uint64_t before = 0;
  std::uint64_t devices = 0;
  std::uint64_t most = 0;
  for (int round = 0; round < 800; ++round) {
    SCOPED_TRACE(round);
    const std::uint64_t drawn = random() % (300 * kJoule);
    devices += drawn;
    if (psys) node.devices->add(drawn);
    std::uint64_t in_platform = drawn;
    for (Zone& zone : zones) {
      const std::uint64_t draws = random() % (zone.watts * kJoule);
      // The platform comes last, and everything is part of it.
      zone.at += draws + (&zone == platform ? in_platform : 0);
      wraps += zone.at >= test::kZoneModulus ? 1 : 0;
      zone.at %= test::kZoneModulus;
      in_platform += draws;
      if (round > 5 && one_in(150)) {
        zone.at = zone.at / 3;  // set back
        ++jumps;
      }
      const std::string directory = node.tree.root() + "/class/powercap/" + zone.place;
      if (zone.away > 0 && --zone.away > 0) continue;
      if (round > 5 && one_in(100)) {
        // A platform that was given up is not used again.
        zone.away = 1 + static_cast<unsigned>(random() % (&zone == platform ? 50 : 90));
        zone.shown = false;
        ++losses;
        std::filesystem::remove_all(directory);
      } else if (std::exchange(zone.shown, true)) {
        set_zone(node.tree, zone.place, zone.at);
      } else {
        add_zone(node.tree, zone.place, zone.name, zone.at);
      }
    }
    // The workloads' thread is at times late or runs twice, /proc/stat cannot be read at times, and names may come
    // late.
    busy += workloads.work() + random() % kSecond;
    idle += random() % (3 * kSecond);
    if (!one_in(10)) board->post(workloads.known(), false);
    if (one_in(20))
      node.tree.file("stat", "");
    else
      set_cpu(node.tree, busy / kTick, idle / kTick);

    const Exported exported(node.collect());
    const EnergyAttribution& rest = node.attribution();
    ASSERT_EQ(node.energy().node(), rest.node() + node.energy().devices());
    if (!exported.node) continue;
    ++rounds;
    ASSERT_EQ(exported.parts, *exported.node);
    ASSERT_EQ(*exported.node, node.energy().node());
    ASSERT_GE(*exported.node, before);
    before = *exported.node;
    most = std::max<std::uint64_t>(most, exported.workloads);
  }
  EXPECT_GT(rounds, 400U);
  EXPECT_GT(jumps, 10U);
  EXPECT_GT(wraps, 0U);
  EXPECT_GT(losses, 10U);
  EXPECT_GT(before, 50'000 * kJoule);
  EXPECT_GT(most, 10U);
  EXPECT_GT(workloads.pods(), 100U);
  EXPECT_GT(node.attribution().gone(), 0U);
  if (psys) {
    EXPECT_GT(node.energy().devices(), devices / 2);
  } else {
    EXPECT_EQ(node.energy().devices(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Bases, EnergyEquality, testing::Bool());

// Exact to the last microjoule while a double can hold each, and to one of its steps beyond.
TEST(EnergyEquality, DoublesHaveMicrojoulesForALongTime) {
  const auto shown = [](std::uint64_t uj) {
    return static_cast<std::uint64_t>(std::llround(static_cast<long double>(joules(uj)) * 1e6L));
  };
  constexpr std::uint64_t kWhole = (std::uint64_t{1} << 33U) * kJoule;
  std::mt19937_64 random(3);  // NOLINT(bugprone-random-generator-seed): the same in every run
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t uj = random() % kWhole;
    ASSERT_EQ(shown(uj), uj);
    ASSERT_NEAR(joules(uj + kWhole), static_cast<double>(kWhole / kJoule) + joules(uj), 2e-6);
  }
}

}  // namespace
}  // namespace flowtap::telemetry
