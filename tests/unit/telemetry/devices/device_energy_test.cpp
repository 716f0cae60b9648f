// A device's joules, and whose they are: at any time all parts add up to the whole, to the microjoule.
#include "telemetry/devices/device_energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "telemetry/devices/device_ledger.hpp"
#include "telemetry/devices/nvml/nvml.hpp"
#include "tests/unit/telemetry/devices/fake_nvml.hpp"
#include "tests/unit/telemetry/devices/rounds.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using telemetry::DeviceClock;
using telemetry::DeviceEnergy;
using telemetry::DeviceLedger;
using telemetry::DeviceUser;
using telemetry::DeviceUses;
using telemetry::DeviceValues;

const DeviceClock::time_point kStart{1h};

DeviceValues counter(std::uint64_t uj) {
  DeviceValues values;
  values.energy_uj = uj;
  return values;
}
DeviceValues watts(double watts) {
  DeviceValues values;
  values.watts = watts;
  return values;
}
DeviceUser user(const std::string& name) {
  return {.name = container(name), .instance = {}};
}

TEST(DeviceEnergy, IsWhatTheCounterGrewBy) {
  DeviceEnergy energy;
  EXPECT_FALSE(energy.known());
  EXPECT_EQ(energy.step(counter(5'000'000), kStart), 0U) << "nothing is known of before";
  EXPECT_TRUE(energy.known());
  EXPECT_EQ(energy.step(counter(5'300'000), kStart + 1s), 300'000U);
  EXPECT_EQ(energy.step(watts(300), kStart + 2s), 0U) << "the counter could not be read";
  EXPECT_EQ(energy.step(counter(6'000'000), kStart + 3s), 700'000U) << "and has it in the end";
  EXPECT_EQ(energy.jumps(), 0U);
}

TEST(DeviceEnergy, ACounterThatJumpsIsCountedOnFromThere) {
  DeviceEnergy energy;
  (void)energy.step(counter(5'000'000'000), kStart);
  EXPECT_EQ(energy.step(counter(1'000), kStart + 1s), 0U) << "the driver was loaded anew";
  EXPECT_EQ(energy.jumps(), 1U);
  EXPECT_EQ(energy.step(counter(501'000), kStart + 2s), 500'000U);
  EXPECT_EQ(energy.step(counter(900'000'000'000'000), kStart + 3s), 0U) << "0.9 GW";
  EXPECT_EQ(energy.jumps(), 2U);
}

TEST(DeviceEnergy, WithoutACounterItIsPowerOverTime) {
  DeviceEnergy energy;
  EXPECT_EQ(energy.step(watts(100), kStart), 0U);
  EXPECT_TRUE(energy.known());
  EXPECT_EQ(energy.step(watts(300), kStart + 2s), 400'000'000U) << "the mean of both ends";
  EXPECT_EQ(energy.step(watts(300), kStart + 2s + 60s), 0U) << "nobody looked";
  // Halves of a microjoule add up.
  DeviceEnergy small;
  std::uint64_t sum = small.step(watts(0.5), kStart);
  for (int i = 1; i <= 1001; ++i) sum += small.step(watts(0.5), kStart + i * 1us);
  EXPECT_EQ(sum, 500U);
}

TEST(DeviceLedger, DividesByWhatEachMadeTheDeviceWork) {
  DeviceLedger ledger(5min);
  DeviceValues values = counter(0);
  values.utilization = 0.8;
  DeviceUses uses;
  uses[user("a")].utilization = 0.5;
  uses[user("b")].utilization = 0.1;
  ledger.round(values, uses, kStart);
  values.energy_uj = 100'000'000;
  ledger.round(values, uses, kStart + 1s);
  EXPECT_EQ(ledger.shares().idle(), 20'000'000U);
  EXPECT_EQ(ledger.users().at(user("a")), 50'000'000U);
  EXPECT_EQ(ledger.users().at(user("b")), 10'000'000U);
  EXPECT_EQ(ledger.shares().system(), 20'000'000U) << "it worked, and for nobody that is known";
  // Users whose work adds up to more than the device's share what there is.
  values.energy_uj = 200'000'000;
  values.utilization = 0.3;
  ledger.round(values, uses, kStart + 2s);
  EXPECT_EQ(ledger.users().at(user("a")), 75'000'000U);
  EXPECT_EQ(ledger.users().at(user("b")), 15'000'000U);
}

TEST(DeviceLedger, WhatTheDeviceDoesNotTellItsUsersDo) {
  DeviceLedger ledger(5min);
  DeviceUses uses;
  uses[user("a")].utilization = 0.25;
  ledger.round(counter(0), uses, kStart);
  ledger.round(counter(1'000'000), uses, kStart + 1s);
  EXPECT_EQ(ledger.users().at(user("a")), 250'000U);
  EXPECT_EQ(ledger.shares().idle(), 750'000U);
  // And where nobody tells anything, it belongs to nobody.
  DeviceLedger silent(5min);
  uses[user("a")].utilization.reset();
  silent.round(counter(0), uses, kStart);
  silent.round(counter(1'000'000), uses, kStart + 1s);
  EXPECT_EQ(silent.shares().system(), 1'000'000U);
  EXPECT_EQ(silent.users().at(user("a")), 0U);
}

// Users come and go, the counter jumps, values are absent, the device is lost at times.
TEST(DeviceLedger, LosesNoMicrojoule) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);  // NOLINT(bugprone-random-generator-seed): the same in every run
    const auto ratio = [&]() -> std::optional<double> {
      return random() % 8 == 0 ? std::nullopt : std::optional(static_cast<double>(random() % 101) / 100);
    };
    DeviceLedger ledger(3s);
    DeviceClock::time_point now = kStart;
    std::uint64_t shown = 1'000'000'000;
    std::optional<std::uint64_t> last;  // the last value that was read
    std::uint64_t used = 0;
    std::map<DeviceUser, std::uint64_t> before;
    for (int round = 0; round < 2000; ++round) {
      now += 1s;
      // At times the counter begins anew: then it is not known what was used since the last look.
      shown = random() % 100 == 0 ? 0 : shown + random() % 700'000'000;
      DeviceValues values;
      values.lost = random() % 50 == 0;
      if (!values.lost && random() % 10 != 0) {
        values.energy_uj = shown;
        if (last && shown > *last) used += shown - *last;
        last = shown;
      }
      values.utilization = ratio();
      DeviceUses uses;
      for (int i = 0; i < 6; ++i)
        if (random() % 3 != 0) uses[user(std::to_string(i))].utilization = ratio();
      ledger.round(values, uses, now);

      std::uint64_t sum = ledger.shares().idle() + ledger.shares().system() + ledger.shares().gone();
      for (const auto& [who, charged] : ledger.users()) {
        sum += charged;
        EXPECT_GE(charged, before.contains(who) ? before[who] : 0);
      }
      before = ledger.users();
      ASSERT_EQ(sum, ledger.shares().node()) << "round " << round;
      ASSERT_EQ(ledger.shares().node(), used) << "round " << round;
    }
    EXPECT_GT(ledger.shares().gone(), 0U);
    EXPECT_GT(ledger.energy().jumps(), 0U);
  }
}

// From the library's answers to the series.
TEST(DeviceLedger, TheSeriesOfADeviceSumToItsJoules) {
  FakeNvml nvml;
  nvml.set("gpus", "1").set("0.pci", "0 1 0").set("0.utilization", "60 0").set("0.samples", "");
  nvml.set("0.compute.0", "101 1").set("0.compute.1", "201 1").set("0.energy", "1000000");
  Rounds rounds(std::make_unique<telemetry::NvmlVendor>(std::vector<std::string>{kFakeNvml}, &Rounds::wall),
                2s);
  (void)rounds.next();
  nvml.set("0.energy", "1100001");
  nvml.sample(0, 101, Rounds::wall() + 2, "30 0 0 0").sample(1, 201, Rounds::wall() + 2, "20 0 0 0");
  const auto all = rounds.next();
  const std::string device = "{vendor=nvidia,device=0000:01:00.0,uuid=}";
  const auto of = [](const std::string& name) {
    return "workload_device_joules_total{vendor=nvidia,device=0000:01:00.0,uuid=,instance=,kind=container,"
           "namespace=,pod="
           ",container=" +
           name + ",workload=}";
  };
  EXPECT_NEAR(all.at("device_joules_total" + device), 100.001, 1e-9);
  EXPECT_NEAR(all.at("device_idle_joules_total" + device), 40.0004, 1e-9);
  EXPECT_NEAR(all.at(of("c1")), 30.0003, 1e-6);
  EXPECT_NEAR(all.at(of("c2")), 20.0002, 1e-6);
  const auto sum = [&](const std::map<std::string, double>& series) {
    double joules = series.at("device_idle_joules_total" + device) +
                    series.at("device_unattributed_joules_total" + device) +
                    series.at("device_ended_joules_total" + device);
    for (const auto& [name, value] : only(series, "workload_device_joules_total")) joules += value;
    return joules;
  };
  EXPECT_NEAR(sum(all), 100.001, 1e-9);
  // c2 is gone: what it used is not.
  nvml.unset("0.compute.1").unset("0.sample.1").set("0.energy", "1200001");
  for (int i = 0; i < 5; ++i) (void)rounds.next();
  const auto later = rounds.next();
  EXPECT_FALSE(later.contains(of("c2")));
  EXPECT_NEAR(later.at("device_ended_joules_total" + device), 20.0002, 1e-6);
  EXPECT_NEAR(sum(later), 200.001, 1e-9);
}

}  // namespace
}  // namespace flowtap::test
