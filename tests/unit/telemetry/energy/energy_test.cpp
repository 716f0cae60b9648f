#include "telemetry/energy/energy.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "tests/unit/telemetry/energy/energy_node.hpp"

namespace flowtap::telemetry {
namespace {

using test::add_zone;
using test::EnergyNode;
using test::FileTree;
using test::kJoule;
using test::set_cpu;
using test::set_zone;
using test::Values;
using test::values;

TEST(Energy, WithoutASourceOneGaugeSaysSo) {
  EnergyNode node;
  for (int i = 0; i < 3; ++i) {
    const Collected out = node.collect();
    EXPECT_EQ(values(out), (Values{{"flowtap_energy_source_available", 0}}));
    EXPECT_EQ(out.unread, 0U);
  }
}

TEST(Energy, ZonesAndTheNodesIdleAndActive) {
  EnergyNode node;
  add_zone(node.tree, "intel-rapl:0", "package-0", 5 * kJoule);
  add_zone(node.tree, "intel-rapl:0:0", "core", 0);
  add_zone(node.tree, "intel-rapl:0:1", "dram", 0);
  add_zone(node.tree, "intel-rapl:0:2", "uncore", 0);
  // Nothing is measured before the second reading, and nothing is shown as if it were.
  EXPECT_EQ(values(node.collect()),
            (Values{{"flowtap_energy_source_available", 0}, {"flowtap_energy_jumps_total", 0}}));
  set_zone(node.tree, "intel-rapl:0", 15 * kJoule);
  set_zone(node.tree, "intel-rapl:0:0", 4 * kJoule);
  set_zone(node.tree, "intel-rapl:0:1", 2 * kJoule);
  set_cpu(node.tree, 25, 75);
  // uncore, which never moved, may count nothing.
  EXPECT_EQ(values(node.collect()),
            (Values{{"flowtap_energy_source_available", 1},
                    {"flowtap_energy_jumps_total", 0},
                    {"flowtap_energy_source_info packages", 1},
                    {"flowtap_energy_source_missing_parts", 0},
                    {"flowtap_energy_part_joules_total powercap package-0 intel-rapl:0", 10},
                    {"flowtap_energy_part_joules_total powercap package-0/core intel-rapl:0:0", 4},
                    {"flowtap_energy_part_joules_total powercap package-0/dram intel-rapl:0:1", 2},
                    {"flowtap_node_joules_total", 12},
                    {"flowtap_node_idle_joules_total", 9},
                    {"flowtap_node_active_joules_total", 3}}));
}

TEST(Energy, WhatIsLostIsAbsentUntilItIsBack) {
  EnergyNode node;
  add_zone(node.tree, "intel-rapl:0", "package-0", 0);
  node.collect();
  set_zone(node.tree, "intel-rapl:0", 10 * kJoule);
  EXPECT_EQ(values(node.collect()).at("flowtap_node_joules_total"), 10);
  std::filesystem::remove_all(node.tree.root() + "/class/powercap/intel-rapl:0");
  EXPECT_EQ(values(node.collect()), (Values{{"flowtap_energy_source_available", 0}}));
  // This is what it looks like without the right to read it: it exists, and cannot be read.
  node.tree.file("class/powercap/intel-rapl:0/name", "package-0\n")
      .file("class/powercap/intel-rapl:0/energy_uj/x", "");
  const Collected unreadable = node.collect();
  EXPECT_EQ(values(unreadable), (Values{{"flowtap_energy_source_available", 0}}));
  EXPECT_EQ(unreadable.unread, 1U);
  std::filesystem::remove_all(node.tree.root() + "/class/powercap/intel-rapl:0");
  add_zone(node.tree, "intel-rapl:0", "package-0", 35 * kJoule);
  EXPECT_EQ(values(node.collect()).at("flowtap_node_joules_total"), 35);
}

TEST(Energy, SensorsAreShownInWatts) {
  EnergyNode node;
  node.tree.file("class/hwmon/hwmon0/name", "power_meter\n")
      .file("class/hwmon/hwmon0/power1_average", "180500000\n");
  EXPECT_EQ(values(node.collect()).at("flowtap_sensor_power_watts power_meter hwmon0 power1"), 180.5);
  const Values second = values(node.collect());
  EXPECT_EQ(second.at("flowtap_node_joules_total"), 180.5);
  EXPECT_EQ(second.at("flowtap_energy_source_info meter"), 1);
  EXPECT_EQ(second.at("flowtap_energy_part_joules_total meter power_meter/hwmon0/power1 "), 180.5);
}

TEST(Energy, WhileTheCpuTimeCannotBeReadEnergyWaitsAndThenAllIsActive) {
  EnergyNode node;
  add_zone(node.tree, "intel-rapl:0", "package-0", 0);
  node.collect();
  std::uint64_t uj = 0;
  const auto next = [&] {
    set_zone(node.tree, "intel-rapl:0", uj += 8 * kJoule);
    return node.collect();
  };
  set_cpu(node.tree, 50, 50);
  EXPECT_EQ(values(next()).at("flowtap_node_joules_total"), 8);
  for (const auto* bad : {"", "cpu", "cpu 1 2 3 4 5 6", "cpu 1 2 3 -4 5 6 7", "cpu0 1 2 3 4 5 6 7 8",
                          "cpu 1 2 3 4 5 6 18446744073709551615"}) {
    SCOPED_TRACE(bad);
    node.tree.file("stat", bad);
    const Collected out = next();
    EXPECT_EQ(out.unread, 1U);
    EXPECT_EQ(values(out).at("flowtap_node_joules_total"), 8) << "it cannot be divided yet";
    EXPECT_EQ(values(out).at("flowtap_node_active_joules_total"), 4);
  }
  // Seven seconds, a quarter of which was busy.
  set_cpu(node.tree, 50 + 175, 50 + 525);
  Values all = values(next());
  EXPECT_EQ(all.at("flowtap_node_joules_total"), 64);
  EXPECT_EQ(all.at("flowtap_node_active_joules_total"), 4 + 14);
  EXPECT_EQ(all.at("flowtap_node_idle_joules_total"), 4 + 42);

  node.tree.file("stat", "");
  for (unsigned i = 0; i < EnergyCollector::kMostWaits; ++i)
    EXPECT_EQ(values(next()).at("flowtap_node_joules_total"), 64);
  for (double i = 1; i <= 3; ++i)
    EXPECT_EQ(values(next()).at("flowtap_node_active_joules_total"), 18 + 8 * (10 + i))
        << "nobody waits for ever";
  // The idle time of all these seconds says nothing about the last one.
  set_cpu(node.tree, 300, 5000);
  all = values(next());
  EXPECT_EQ(all.at("flowtap_node_active_joules_total"), 18 + 8 * 14);
  set_cpu(node.tree, 325, 5075);
  EXPECT_EQ(values(next()).at("flowtap_node_active_joules_total"), 18 + 8 * 14 + 2);
}

// Containers as the collector sees them: some that work, begin and end.
class Containers final : public EnergyConsumers {
 public:
  std::vector<EnergyConsumer> consumers() override {
    std::vector<EnergyConsumer> all;
    for (auto& [id, consumer] : alive) {
      all.push_back(consumer);
      consumer.began = false;
    }
    std::erase_if(alive, [](const auto& entry) { return entry.second.ended; });
    return all;
  }
  void charged(std::span<const ConsumerEnergy> energy, Collected& /*out*/) override {
    now.clear();
    for (const ConsumerEnergy& one : energy) {
      EXPECT_GE(one.uj, last[one.id]);
      last[one.id] = one.uj;
      if (one.ended) {
        EXPECT_TRUE(ended.emplace(one.id, one.uj).second) << one.id << " ended twice";
        ended_uj += one.uj;
      } else {
        now[one.id] = one.uj;
      }
    }
  }

  std::map<std::string, EnergyConsumer> alive;
  std::map<std::string, std::uint64_t> now;
  std::map<std::string, std::uint64_t> last;
  std::map<std::string, std::uint64_t> ended;
  std::uint64_t ended_uj = 0;
};

TEST(Energy, ContainersSystemAndIdleAreTheNodesJoules) {
  const auto containers = std::make_shared<Containers>();
  EnergyNode node(containers);
  add_zone(node.tree, "intel-rapl:0", "package-0", 0);
  containers->alive["a"] = {.id = "a", .cpu_ns = 5'000'000'000};
  node.collect();
  set_zone(node.tree, "intel-rapl:0", 40 * kJoule);
  set_cpu(node.tree, 100, 100);
  containers->alive["a"].cpu_ns += 500'000'000;
  const Values all = values(node.collect());
  EXPECT_EQ(containers->now.at("a"), 10 * kJoule);
  EXPECT_EQ(all.at("flowtap_node_idle_joules_total"), 20);
  EXPECT_EQ(all.at("flowtap_node_system_joules_total"), 10);
  EXPECT_EQ(all.at("flowtap_node_ended_joules_total"), 0);
}

// A machine whose counters are known: two packages with dram. Any of them may wrap, be set back, be lost or unreadable
// for a while. What the node used in each second that was read is compared with what is reported, to the microjoule.
class Zone {
 public:
  Zone(std::string name, std::string label, std::uint64_t begin)
      : name_(std::move(name)), label_(std::move(label)), at_(begin) {}

  // A second in which it counted.
  void use(std::uint64_t uj) {
    ++seconds_;
    at_ += uj;
    unread_ += uj;
    if (at_ < test::kZoneModulus) return;
    at_ -= test::kZoneModulus;
    ++unread_wraps_;
  }
  // It counts from 0 again: what was not read is lost.
  void reset() {
    at_ = 0;
    reset_ = true;
  }
  // Makes it readable as it is now; returns how much must be counted.
  std::uint64_t show(FileTree& tree) {
    if (hidden_) {
      std::filesystem::remove_all(tree.root() + "/class/powercap/" + name_);
      add_zone(tree, name_, label_, at_);
    } else {
      set_zone(tree, name_, at_);
    }
    hidden_ = false;
    const std::uint64_t fresh = std::exchange(unread_, 0);
    const std::uint64_t leftover = leftover_ + std::exchange(unread_wraps_, 0U) * std::uint64_t{360};
    const bool given_up = std::exchange(seconds_, 0U) > 60;
    const bool reset = std::exchange(reset_, false);
    if (given_up) return ++given_ups, 0;
    if (reset) return ++jumps, 0;
    // The 36/100 of a microjoule that the range leaves over at each wrap.
    leftover_ = leftover % 1000;
    wraps += fresh > at_ ? 1 : 0;
    return fresh + leftover / 1000;
  }
  void hide(FileTree& tree, bool unreadable) {
    if (std::exchange(hidden_, true)) return;
    const std::string directory = "class/powercap/" + name_;
    std::filesystem::remove_all(tree.root() + "/" + directory);
    if (unreadable) tree.file(directory + "/name", label_ + "\n").file(directory + "/energy_uj/x", "");
  }
  [[nodiscard]] std::uint64_t at() const { return at_; }

  unsigned away = 0;  // seconds still to come
  // How often each of these must have been seen.
  unsigned wraps = 0;
  unsigned jumps = 0;
  unsigned given_ups = 0;

 private:
  std::string name_;
  std::string label_;
  std::uint64_t at_;
  std::uint64_t unread_ = 0;
  unsigned unread_wraps_ = 0;
  unsigned seconds_ = 0;
  std::uint64_t leftover_ = 0;  // nJ
  bool hidden_ = true;
  bool reset_ = false;
};

TEST(Energy, ABasisThatIsPartlyLostSaysSo) {
  EnergyNode node;
  for (const auto& [zone, name] : {std::pair("intel-rapl:0", "package-0"),
                                   {"intel-rapl:0:0", "dram"},
                                   {"intel-rapl:1", "package-1"},
                                   {"intel-rapl:1:0", "dram"}})
    add_zone(node.tree, zone, name, 0);
  // Nobody may read it, from the start on: even root cannot read a directory.
  const std::string denied = node.tree.root() + "/class/powercap/intel-rapl:1:0/energy_uj";
  std::filesystem::remove(denied);
  std::filesystem::create_directory(denied);
  node.collect();
  std::uint64_t uj = 0;
  const auto next = [&] {
    uj += kJoule;
    for (const char* zone : {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1"})
      if (std::filesystem::exists(node.tree.root() + "/class/powercap/" + zone))
        set_zone(node.tree, zone, uj);
    return values(node.collect());
  };
  EXPECT_EQ(next().at("flowtap_energy_source_missing_parts"), 1);
  // A package is gone, and its dram with it; neither comes back.
  std::filesystem::remove_all(node.tree.root() + "/class/powercap/intel-rapl:1");
  std::filesystem::remove_all(node.tree.root() + "/class/powercap/intel-rapl:1:0");
  for (int i = 0; i < 100; ++i) {
    const Values all = next();
    ASSERT_EQ(all.at("flowtap_energy_source_missing_parts"), 2);
    ASSERT_EQ(all.at("flowtap_energy_source_available"), 1);
    ASSERT_EQ(all.at("flowtap_node_joules_total"), 3 + 2 * (i + 1));
  }
  add_zone(node.tree, "intel-rapl:1", "package-1", 0);
  add_zone(node.tree, "intel-rapl:1:0", "dram", 0);
  EXPECT_EQ(next().at("flowtap_energy_source_missing_parts"), 0);
}

class EnergyConservation : public testing::TestWithParam<unsigned> {};

TEST_P(EnergyConservation, ToTheMicrojouleThroughWrapsJumpsAndLostZones) {
  std::mt19937_64 random(GetParam());  // NOLINT(bugprone-random-generator-seed): the same in every run
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  const auto containers = std::make_shared<Containers>();
  EnergyNode node(containers);
  std::vector<Zone> zones{{"intel-rapl:0", "package-0", test::kZoneModulus - 50 * kJoule},
                          {"intel-rapl:0:0", "dram", 7},
                          {"intel-rapl:1", "package-1", test::kZoneRange - 3},
                          {"intel-rapl:1:0", "dram", test::kZoneModulus / 2}};
  for (Zone& zone : zones) zone.show(node.tree);
  node.collect();

  std::uint64_t expected = 0;
  std::uint64_t before_idle = 0;
  std::uint64_t before_active = 0;
  std::uint64_t lost = 0;
  unsigned partly = 0;
  std::uint64_t busy = 0;
  std::uint64_t idle = 0;
  unsigned next = 0;
  constexpr int kRounds = 600;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    unsigned missing = 0;
    std::uint64_t shown = 0;
    for (std::size_t z = 0; z < zones.size(); ++z) {
      Zone& zone = zones[z];
      // Up to 1.9 kW, so that it wraps every few minutes.
      zone.use(random() % (1900 * kJoule));
      // This does not happen while the counter is close to either end: there a reset looks like a wrap, or like none.
      const bool far = zone.at() > 120'000 * kJoule && zone.at() < test::kZoneModulus - 130'000 * kJoule;
      if (far && zone.away == 0 && round > 5 && one_in(12)) {
        zone.reset();
      } else if (zone.away == 0 && round > 5 && one_in(40)) {
        zone.away = 1 + static_cast<unsigned>(random() % 50);
        ++lost;
      }
      // A package takes its dram along, whose name means nothing without the package's.
      const bool gone = zone.away > 0 || (z % 2 == 1 && zones[z - 1].away > 0);
      if (gone) {
        ++missing;
        zone.hide(node.tree, z % 2 == 1 && one_in(2));
      } else {
        shown += zone.show(node.tree);
      }
    }
    for (Zone& zone : zones)
      if (zone.away > 0) --zone.away;
    busy += random() % 800;
    idle += random() % 800;
    set_cpu(node.tree, busy, idle);
    for (auto& [id, consumer] : containers->alive) {
      consumer.cpu_ns += random() % 2'000'000'000;
      consumer.ended = one_in(40);
    }
    if (containers->alive.size() < 10 && one_in(3)) {
      const std::string id = "c" + std::to_string(next++);
      containers->alive[id] = {.id = id, .cpu_ns = random() % 1'000'000'000, .began = one_in(2)};
    }

    const Values all = values(node.collect());
    expected += shown;
    const EnergyAttribution& told = node.attribution();
    ASSERT_EQ(told.node(), expected);
    const bool any = missing < zones.size();
    std::uint64_t sum = told.idle() + told.system() + containers->ended_uj;
    for (const auto& [id, uj] : containers->now) sum += uj;
    ASSERT_EQ(sum, expected);
    ASSERT_EQ(told.gone(), containers->ended_uj);
    ASSERT_GE(told.idle(), before_idle);
    ASSERT_GE(told.active(), before_active);
    before_idle = told.idle();
    before_active = told.active();
    ASSERT_EQ(all.at("flowtap_energy_source_available"), any ? 1 : 0);
    std::uint64_t jumps = 0;
    for (const Zone& zone : zones) jumps += zone.jumps;
    if (any) {
      ASSERT_EQ(all.at("flowtap_energy_source_missing_parts"), missing);
      partly += missing > 0 ? 1 : 0;
      ASSERT_EQ(all.at("flowtap_energy_jumps_total"), static_cast<double>(jumps));
      ASSERT_EQ(all.at("flowtap_node_joules_total"), static_cast<double>(expected) / 1e6);
    }
  }
  unsigned wraps = 0;
  unsigned jumps = 0;
  unsigned given_ups = 0;
  for (const Zone& zone : zones) {
    wraps += zone.wraps;
    jumps += zone.jumps;
    given_ups += zone.given_ups;
  }
  EXPECT_GE(wraps, 4U);
  EXPECT_GT(jumps, 0U);
  EXPECT_GT(given_ups, 0U);
  EXPECT_GT(lost, 20U);
  EXPECT_GT(partly, 100U);
  EXPECT_GT(containers->ended.size(), 50U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EnergyConservation, testing::Values(11U, 22U, 33U));

}  // namespace
}  // namespace flowtap::telemetry
