#include "telemetry/energy/sensors.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/fd.hpp"
#include "telemetry/collecting/collectors.hpp"
#include "tests/unit/telemetry/energy/energy_node.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;
using test::add_zone;
using test::EnergyNode;
using test::FileTree;
using test::kJoule;
using test::set_zone;
using test::Values;
using test::values;

constexpr auto kMeterJoules = "flowtap_energy_part_joules_total meter power_meter/hwmon0/power1 ";

void set_meter(FileTree& tree, const std::string& uw) {
  tree.file("class/hwmon/hwmon0/name", "power_meter\n").file("class/hwmon/hwmon0/power1_average", uw + "\n");
}

TEST(Sensors, AreShownInWattsAndAddedUpByTheirOwnTime) {
  EnergyNode node;
  set_meter(node.tree, "180500000");
  EXPECT_EQ(values(node.collect()).at("flowtap_sensor_power_watts power_meter hwmon0 power1"), 180.5);
  Values all = values(node.collect());
  EXPECT_EQ(all.at("flowtap_node_joules_total"), 180.5);
  EXPECT_EQ(all.at("flowtap_energy_source_info meter"), 1);
  EXPECT_EQ(all.at(kMeterJoules), 180.5);
  // Two seconds without an answer: nothing more is known, and nothing is lost when the chip is back.
  node.sensors_answer = false;
  for (int i = 0; i < 2; ++i) {
    all = values(node.collect());
    EXPECT_EQ(all.at("flowtap_node_joules_total"), 180.5);
    EXPECT_FALSE(all.contains("flowtap_sensor_power_watts power_meter hwmon0 power1"));
  }
  node.sensors_answer = true;
  EXPECT_EQ(values(node.collect()).at("flowtap_node_joules_total"), 4 * 180.5);
}

TEST(Sensors, ThatDoNotAnswerForLongAreAbsent) {
  EnergyNode node;
  set_meter(node.tree, "100000000");
  node.collect();
  node.collect();
  node.sensors_answer = false;
  for (int s = 1; s <= 5; ++s)
    EXPECT_EQ(values(node.collect()).at("flowtap_energy_source_available"), 1) << s;
  EXPECT_EQ(values(node.collect()), (Values{{"flowtap_energy_source_available", 0}}));
  node.sensors_answer = true;
  EXPECT_EQ(values(node.collect()).at("flowtap_node_joules_total"), 100 * 8);
}

TEST(Sensors, ARoundsReadingsAreFreshHoweverLongItIs) {
  EnergyNode node;
  set_meter(node.tree, "100000000");
  node.collect();
  node.collect();
  // The sensors are read after the energy, or a little before, as threads happen to run.
  for (int i = 1; i <= 6; ++i) {
    node.sensors_answer = i % 2 == 0;
    EXPECT_EQ(values(node.collect(30s)).at("flowtap_energy_source_available"), 1) << i;
  }
  EXPECT_EQ(values(node.collect(0s)).at("flowtap_node_joules_total"), 100 * (1 + 6 * 30));
}

// Counters of the board, when they follow a basis that has been away.
TEST(Sensors, StandInForACounterThatIsGone) {
  EnergyNode node;
  add_zone(node.tree, "intel-rapl:0", "package-0", 0);
  set_meter(node.tree, "100000000");
  std::uint64_t uj = 0;
  const auto next = [&](bool zone) {
    uj += 50 * kJoule;
    if (zone) set_zone(node.tree, "intel-rapl:0", uj);
    node.devices->add(20 * kJoule);
    return values(node.collect());
  };
  for (int i = 0; i < 3; ++i) next(true);
  std::filesystem::remove_all(node.tree.root() + "/class/powercap/intel-rapl:0");
  Values all;
  int away = 0;
  do all = next(false);
  while (++away < 100 && all.at("flowtap_energy_source_available") == 0);
  EXPECT_EQ(away, 61);
  EXPECT_EQ(all.at("flowtap_energy_source_info meter"), 1);
  EXPECT_EQ(all.at("flowtap_node_joules_total"), 100 + 100)
      << "the meter's second, and not the minute before";
  EXPECT_FALSE(all.contains("flowtap_node_devices_joules_total"))
      << "those of the minute were not the meter's";
  EXPECT_EQ(next(false).at("flowtap_node_devices_joules_total"), 20);
}

// A chip that hangs only takes itself away.
TEST(Sensors, OneThatHangsLeavesTheCountersWhole) {
  FileTree tree;
  test::set_cpu(tree, 0, 0);
  add_zone(tree, "intel-rapl:0", "package-0", 0);
  set_meter(tree, "1");
  const std::string hangs = tree.root() + "/class/hwmon/hwmon0/power1_average";
  std::filesystem::remove(hangs);
  ASSERT_EQ(::mkfifo(hangs.c_str(), 0600), 0);
  const auto board = std::make_shared<SensorBoard>();
  Collectors collectors;
  collectors.add(std::make_unique<SensorCollector>(tree.root(), board));
  collectors.add(std::make_unique<EnergyCollector>(
      EnergySources{.sysfs = tree.root(), .proc = tree.root(), .sensors = board}));
  for (std::uint64_t round = 0; round <= 3; ++round) {
    set_zone(tree, "intel-rapl:0", round * kJoule);
    Collected out;
    collectors.collect(round == 0 ? 2s : 30s, out.series);
    const auto states = collectors.states();
    EXPECT_TRUE(states.at(0).late);
    EXPECT_FALSE(states.at(1).late);
    if (round > 0) {
      EXPECT_EQ(values(out).at("flowtap_node_joules_total"), static_cast<double>(round));
    }
  }
  EXPECT_EQ(collectors.states().at(0).timeouts, 1U);
  // It comes back, without a value.
  const Fd writer(::open(hangs.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  std::filesystem::remove(hangs);
}

}  // namespace
}  // namespace flowtap::telemetry
