// What a GPU draws is part of the joules of the platform that feeds it: it is charged once, to whoever made the GPU
// work.
#include "telemetry/energy/device_joules.hpp"

#include <gtest/gtest.h>

#include <random>

#include "telemetry/devices/devices_collector.hpp"
#include "tests/unit/telemetry/energy/energy_node.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;
using test::add_zone;
using test::EnergyNode;
using test::kJoule;
using test::set_cpu;
using test::set_zone;
using test::Values;
using test::values;

TEST(DeviceShare, WhatDoesNotFitIsHadLater) {
  const auto devices = std::make_shared<DeviceJoules>();
  devices->add(7);
  DeviceShare share(devices);
  EXPECT_EQ(share.take(100), 0U) << "of before";
  devices->add(30);
  EXPECT_EQ(share.take(20), 20U);
  EXPECT_EQ(share.take(0), 0U);
  devices->add(5);
  EXPECT_EQ(share.take(100), 15U);
  EXPECT_EQ(share.total(), 35U);
}

TEST(DeviceShare, WhatNeverFitsIsLetGo) {
  const auto devices = std::make_shared<DeviceJoules>();
  DeviceShare share(devices);
  devices->add(1000);
  for (unsigned i = 0; i <= DeviceShare::kMostLate; ++i) EXPECT_EQ(share.take(10), 10U);
  EXPECT_EQ(share.take(10), 0U);
  devices->add(5);
  EXPECT_EQ(share.take(10), 5U);
  // And what the node's energy of that round did not contain.
  devices->add(50);
  EXPECT_EQ(share.take(std::nullopt), 0U);
  EXPECT_EQ(share.take(100), 0U);
  EXPECT_EQ(DeviceShare(nullptr).take(100), 0U);
}

// A GPU whose counter is set by hand.
class Gpu final : public Device {
 public:
  [[nodiscard]] const DeviceIdentity& identity() const override { return identity_; }
  [[nodiscard]] DeviceValues read(DeviceClock::time_point /*now*/, std::uint64_t& /*unread*/) override {
    DeviceValues values;
    values.energy_uj = uj;
    values.utilization = 1;
    values.processes = {{.pid = 1, .utilization = 1}};
    return values;
  }
  std::uint64_t uj = 0;

 private:
  DeviceIdentity identity_{.vendor = "nvidia", .device = "0000:01:00.0"};
};
class Gpus final : public DeviceVendor {
 public:
  explicit Gpus(Gpu& gpu) : gpu_(gpu) {}
  [[nodiscard]] std::string_view source() const override { return "nvml"; }
  [[nodiscard]] std::string_view collector() const override { return "devices_nvidia"; }
  [[nodiscard]] std::vector<Device*> devices(DeviceClock::time_point /*now*/,
                                             std::uint64_t& /*unread*/) override {
    return {&gpu_};
  }

 private:
  Gpu& gpu_;
};
class OneName final : public ProcessNames {
 public:
  [[nodiscard]] std::optional<WorkloadName> name(pid_t /*pid*/) override {
    return WorkloadName{
        .kind = WorkloadKind::kContainer, .ns = {}, .pod = {}, .container = "trainer", .workload = {}};
  }
};

// A platform of 500 W: a package of 60 W, dram of 10 W, a GPU of 300 W and the rest.
class Platform {
 public:
  explicit Platform(bool psys = true) : psys_(psys) {
    add_zone(node.tree, "intel-rapl:0", "package-0", 0);
    add_zone(node.tree, "intel-rapl:0:0", "dram", 0);
    if (psys) add_zone(node.tree, "intel-rapl:1", "psys", 0);
  }

  void devices() {
    device_now = device_now.value_or(DeviceClock::time_point{}) + 1s;
    Collected out;
    collector_.collect(out);
    of_devices = values(out);
  }
  Values energy(double gpu_in_platform = 1) {
    ++seconds_;
    const std::uint64_t uj = seconds_ * kJoule;
    set_zone(node.tree, "intel-rapl:0", uj * 60);
    set_zone(node.tree, "intel-rapl:0:0", uj * 10);
    platform_ += static_cast<std::uint64_t>(gpu_in_platform * 300 * kJoule) + 200 * kJoule;
    if (psys_) set_zone(node.tree, "intel-rapl:1", platform_);
    set_cpu(node.tree, 50 * seconds_, 50 * seconds_);
    return values(node.collect());
  }
  void work() { gpu.uj += 300 * kJoule; }

  EnergyNode node;
  Gpu gpu;
  Values of_devices;

 private:
  inline static std::optional<DeviceClock::time_point> device_now;

  bool psys_;
  std::uint64_t seconds_ = 0;
  std::uint64_t platform_ = 0;
  DevicesCollector collector_{std::make_unique<Gpus>(gpu),     std::make_unique<OneName>(),
                              std::make_shared<DeviceBoard>(), 5min,
                              [] { return *device_now; },      node.devices};
};

double device_joules(const Values& all) {
  return all.at("flowtap_device_joules_total nvidia 0000:01:00.0 ");
}

TEST(DeviceJoules, ArePartOfThePlatformsAndNotDividedByCpuTime) {
  Platform platform;
  platform.devices();
  platform.energy();
  Values all;
  for (int s = 0; s < 10; ++s) {
    platform.work();
    platform.devices();
    all = platform.energy();
  }
  EXPECT_EQ(all.at("flowtap_energy_source_info psys"), 1);
  EXPECT_EQ(all.at("flowtap_node_joules_total"), 5000);
  EXPECT_EQ(all.at("flowtap_node_devices_joules_total"), 3000);
  EXPECT_EQ(all.at("flowtap_node_devices_joules_total"), device_joules(platform.of_devices));
  EXPECT_EQ(all.at("flowtap_node_idle_joules_total"), 1000);
  EXPECT_EQ(all.at("flowtap_node_active_joules_total"), 1000);
}

TEST(DeviceJoules, AreNotInThePackages) {
  Platform platform(false);
  for (int s = 0; s < 5; ++s) {
    platform.work();
    platform.devices();
    platform.energy();
  }
  const Values all = platform.energy();
  EXPECT_EQ(all.at("flowtap_energy_source_info packages"), 1);
  EXPECT_EQ(all.at("flowtap_node_joules_total"), 350);
  EXPECT_EQ(all.at("flowtap_node_idle_joules_total") + all.at("flowtap_node_active_joules_total"), 350);
  EXPECT_FALSE(all.contains("flowtap_node_devices_joules_total"));
}

// A card with a supply of its own, which psys does not see.
TEST(DeviceJoules, LeaveThePackagesWhatIsTheirs) {
  Platform platform;
  platform.devices();
  platform.energy(0);
  Values all;
  for (int s = 0; s < 60; ++s) {
    platform.work();
    platform.devices();
    all = platform.energy(0);
  }
  EXPECT_EQ(all.at("flowtap_node_joules_total"), 60 * 200);
  EXPECT_EQ(all.at("flowtap_node_devices_joules_total"), 60 * 130);
  EXPECT_EQ(all.at("flowtap_node_idle_joules_total") + all.at("flowtap_node_active_joules_total"), 60 * 70);
}

// Its thread is at times ahead, at times some rounds late.
TEST(DeviceJoules, AddUpThoughReadAtOtherTimes) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);  // NOLINT(bugprone-random-generator-seed): the same in every run
    Platform platform;
    platform.devices();
    platform.energy();
    constexpr std::uint64_t kRounds = 100;
    for (std::uint64_t s = 0; s < kRounds; ++s) {
      platform.work();
      const auto order = random() % 4;
      if (order < 2) platform.devices();
      platform.energy();
      if (order == 2) platform.devices();
      const EnergyAttribution& rest = platform.node.attribution();
      ASSERT_EQ(platform.node.energy().node(),
                rest.idle() + rest.system() + rest.gone() + platform.node.energy().devices());
      ASSERT_EQ(platform.node.energy().node(), (s + 1) * 500 * kJoule);
    }
    platform.devices();
    for (int s = 0; s < 5; ++s) platform.energy();
    EXPECT_EQ(platform.node.energy().devices(), kRounds * 300 * kJoule);
  }
}

TEST(DeviceJoules, AreInAMeterToo) {
  EnergyNode node;
  node.tree.file("class/hwmon/hwmon0/name", "power_meter\n")
      .file("class/hwmon/hwmon0/power1_average", "400000000\n");
  node.collect();
  node.devices->add(300 * kJoule);
  Values all = values(node.collect());
  EXPECT_EQ(all.at("flowtap_node_devices_joules_total"), 300);
  EXPECT_EQ(all.at("flowtap_node_active_joules_total"), 100);
  // Two seconds of a slow meter contain the devices' two.
  node.sensors_answer = false;
  node.devices->add(300 * kJoule);
  EXPECT_EQ(values(node.collect()).at("flowtap_node_devices_joules_total"), 300);
  node.sensors_answer = true;
  node.devices->add(300 * kJoule);
  all = values(node.collect());
  EXPECT_EQ(all.at("flowtap_node_joules_total"), 1200);
  EXPECT_EQ(all.at("flowtap_node_devices_joules_total"), 900);
  EXPECT_EQ(all.at("flowtap_node_active_joules_total"), 300);
}

}  // namespace
}  // namespace flowtap::telemetry
