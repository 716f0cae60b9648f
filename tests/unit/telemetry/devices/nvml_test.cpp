// NVML's answers against the series that come of them. The library is a fake with the real ABI (fake_nvml.c).
#include "telemetry/devices/nvml.hpp"

#include <gtest/gtest.h>

#include "tests/unit/telemetry/devices/fake_nvml.hpp"
#include "tests/unit/telemetry/devices/rounds.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using Series = std::map<std::string, double>;

const std::string kDevice = "vendor=nvidia,device=0000:3b:00.0,uuid=GPU-1";

std::string user(const std::string& name, const std::string& instance = "") {
  return "{" + kDevice + ",instance=" + instance + ",kind=container,namespace=,pod=,container=" + name +
         ",workload=}";
}

void add_gpu(FakeNvml& nvml, const std::string& gpu = "0") {
  nvml.set("gpus", std::to_string(std::stoi(gpu) + 1)).set("driver", "580.65.06");
  nvml.set(gpu + ".name", "NVIDIA H100 80GB HBM3")
      .set(gpu + ".uuid", "GPU-" + std::to_string(std::stoi(gpu) + 1));
  nvml.set(gpu + ".pci", "0 " + std::to_string(0x3b + std::stoi(gpu)) + " 0");
}

Rounds rounds_of(const std::string& library) {
  return Rounds(std::make_unique<telemetry::NvmlVendor>(std::vector<std::string>{library}));
}

TEST(Nvml, TellsEachValueInBaseUnits) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.utilization", "37 12").set("0.encoder", "5").set("0.decoder", "6");
  nvml.set("0.memory", "85899345920 60000000000 25000000000 899345920");
  nvml.set("0.power", "345678").set("0.limit", "700000").set("0.energy", "123456789012");
  nvml.set("0.temperature", "45").set("0.clocks", "1980 1979 2619 1545");
  nvml.set("0.ecc", "3 1").set("0.ecc_lifetime", "30 10").set("0.replays", "7");
  nvml.set("0.field.82", "1 52");
  nvml.set("0.field.138/4294967295", "3 1000").set("0.field.139/4294967295", "3 2000");
  nvml.set("0.field.197", "3 123456").set("0.field.198", "1 654321");
  nvml.set("0.pcie_rate", "1 2");

  Rounds rounds = rounds_of(kFakeNvml);
  const auto labels = [](const std::string& more = "") { return "{" + kDevice + more + "}"; };
  const Series expected{
      {"device_source_available{source=nvml}", 1},
      {"device_info" + labels(",model=NVIDIA H100 80GB HBM3,driver=580.65.06"), 1},
      {"device_losses_total" + labels(), 0},
      {"device_utilization_ratio" + labels(), 0.37},
      {"device_memory_utilization_ratio" + labels(), 0.12},
      {"device_encoder_utilization_ratio" + labels(), 0.05},
      {"device_decoder_utilization_ratio" + labels(), 0.06},
      {"device_memory_total_bytes" + labels(), 85899345920},
      {"device_memory_free_bytes" + labels(), 60000000000},
      {"device_memory_used_bytes" + labels(), 25000000000},
      {"device_memory_reserved_bytes" + labels(), 899345920},
      {"device_power_watts" + labels(), 345.678},
      {"device_power_limit_watts" + labels(), 700},
      {"device_temperature_celsius" + labels(",sensor=gpu"), 45},
      {"device_temperature_celsius" + labels(",sensor=memory"), 52},
      {"device_clock_hertz" + labels(",clock=graphics"), 1980e6},
      {"device_clock_hertz" + labels(",clock=sm"), 1979e6},
      {"device_clock_hertz" + labels(",clock=memory"), 2619e6},
      {"device_clock_hertz" + labels(",clock=video"), 1545e6},
      {"device_ecc_errors_total" + labels(",severity=corrected"), 3},
      {"device_ecc_errors_total" + labels(",severity=uncorrected"), 1},
      {"device_ecc_lifetime_errors_total" + labels(",severity=corrected"), 30},
      {"device_ecc_lifetime_errors_total" + labels(",severity=uncorrected"), 10},
      {"device_pcie_bytes_total" + labels(",direction=transmit"), 123456},
      {"device_pcie_bytes_total" + labels(",direction=receive"), 654321},
      {"device_pcie_replays_total" + labels(), 7},
      {"device_nvlink_bytes_total" + labels(",direction=transmit"), 1000.0 * 1024},
      {"device_nvlink_bytes_total" + labels(",direction=receive"), 2000.0 * 1024},
      {"device_joules_total" + labels(), 0},
      {"device_idle_joules_total" + labels(), 0},
      {"device_unattributed_joules_total" + labels(), 0},
      {"device_ended_joules_total" + labels(), 0},
      {"device_energy_jumps_total" + labels(), 0},
  };
  const Series all = rounds.next();
  for (const auto& [name, value] : expected)
    EXPECT_DOUBLE_EQ(all.contains(name) ? all.at(name) : -1, value) << name;
  for (const auto& [name, value] : all) EXPECT_TRUE(expected.contains(name)) << name << " is " << value;
  EXPECT_EQ(rounds.unread, 0U);
  EXPECT_EQ(rounds.board->read(), "GPU: 1 by nvml");
}

TEST(Nvml, WhatADeviceDoesNotHaveIsAbsentAndNotCounted) {
  FakeNvml nvml;
  add_gpu(nvml);
  Rounds rounds = rounds_of(kFakeNvml);
  const Series all = rounds.next();
  EXPECT_EQ(all.size(), 3U) << "source, info and losses";
  EXPECT_EQ(rounds.unread, 0U);
}

TEST(Nvml, ValuesThatStandForNoneAreDropped) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.utilization", "4294967295 101").set("0.power", "4294967295").set("0.temperature", "4294967295");
  nvml.set("0.clocks", "4294967295").set("0.replays", "4294967295").set("0.energy", "9223372036854775794");
  nvml.set("0.memory", "18446744073709551615 9223372036854775794 18446744073709551615 18446744073709551615");
  nvml.set("0.ecc", "9223372036854775794 18446744073709551615");
  nvml.set("0.field.82", "1 4294967295")
      .set("0.field.197", "3 18446744073709551615")
      .set("0.field.198", "9 5");
  nvml.set("0.compute.0", "101 -");
  Rounds rounds = rounds_of(kFakeNvml);
  const Series all = rounds.next();
  EXPECT_EQ(all.size(), 4U) << "source, info, losses and a process without memory";
  EXPECT_EQ(all.at("workload_device_processes" + user("c1")), 1);
}

TEST(Nvml, AnOldLibraryHasTheValuesOfItsFunctions) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.memory", "1000 600 400 0").set("0.power", "5000").set("0.utilization", "50 50");
  nvml.set("0.compute.0", "101 300").set("0.compute.1", "201 -");
  Rounds rounds = rounds_of(kFakeNvmlOld);
  const Series all = rounds.next();
  const std::string device = "vendor=nvidia,device=nvidia0,uuid=GPU-1";
  EXPECT_EQ(all.at("device_memory_used_bytes{" + device + "}"), 400);
  EXPECT_EQ(all.at("device_power_watts{" + device + "}"), 5);
  EXPECT_TRUE(only(all, "device_utilization_ratio").empty());
  EXPECT_TRUE(only(all, "device_memory_reserved").empty());
  const Series memory = only(all, "workload_device_memory_used_bytes");
  ASSERT_EQ(memory.size(), 1U) << "16 bytes a process; the second does not tell";
  EXPECT_EQ(memory.begin()->second, 300);
  EXPECT_EQ(only(all, "workload_device_processes").size(), 2U);
  EXPECT_EQ(rounds.unread, 0U);
}

TEST(Nvml, WithoutALibraryThereIsOneLineAndNothingElse) {
  Rounds rounds(
      std::make_unique<telemetry::NvmlVendor>(std::vector<std::string>{"/nonexistent/libnvidia-ml.so.1"}));
  EXPECT_EQ(rounds.next(), (Series{{"device_source_available{source=nvml}", 0}}));
  EXPECT_EQ(rounds.board->read(), "GPU: no libnvidia-ml.so.1");
  EXPECT_EQ(rounds.unread, 0U);
}

TEST(Nvml, ALibraryThatFailsSaysWhyAndIsTriedAgain) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("ret.init", "9");
  Rounds rounds = rounds_of(kFakeNvml);
  EXPECT_EQ(rounds.next().size(), 1U);
  EXPECT_EQ(rounds.board->read(), "GPU: NVIDIA's driver is not loaded");
  nvml.unset("ret.init");
  EXPECT_EQ(rounds.next(1s).size(), 1U) << "not before a minute";
  EXPECT_GT(rounds.next(60s).size(), 1U);
  EXPECT_EQ(rounds.board->read(), "GPU: 1 by nvml");
}

TEST(Nvml, ADeviceThatIsLostIsAbsentAndCountedAndComesBack) {
  FakeNvml nvml;
  add_gpu(nvml, "0");
  add_gpu(nvml, "1");
  nvml.set("0.power", "1000").set("1.power", "2000");
  Rounds rounds = rounds_of(kFakeNvml);
  EXPECT_EQ(only(rounds.next(), "device_power_watts").size(), 2U);
  nvml.set("0.ret.all", "15");
  Series all = rounds.next();
  EXPECT_EQ(only(all, "device_power_watts").size(), 1U);
  EXPECT_EQ(all.at("device_losses_total{" + kDevice + "}"), 1);
  EXPECT_EQ(rounds.next().at("device_losses_total{" + kDevice + "}"), 1) << "once";
  EXPECT_EQ(rounds.unread, 0U);
  // The library, opened anew, has one device less at first.
  EXPECT_EQ(only(rounds.next(60s), "device_info").size(), 1U);
  nvml.unset("0.ret.all");
  EXPECT_EQ(only(rounds.next(1s), "device_info").size(), 1U);
  all = rounds.next(60s);
  EXPECT_EQ(only(all, "device_power_watts").size(), 2U);
  EXPECT_EQ(all.at("device_losses_total{" + kDevice + "}"), 1);
}

TEST(Nvml, ADeviceThatIsAddedIsFound) {
  FakeNvml nvml;
  add_gpu(nvml, "0");
  Rounds rounds = rounds_of(kFakeNvml);
  EXPECT_EQ(only(rounds.next(), "device_info").size(), 1U);
  add_gpu(nvml, "1");
  EXPECT_EQ(only(rounds.next(), "device_info").size(), 2U);
}

TEST(Nvml, WhatGoesWrongIsAbsentAndCounted) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.power", "1000").set("0.ret.nvmlDeviceGetPowerUsage", "999");
  nvml.set("0.temperature", "40").set("0.ret.nvmlDeviceGetTemperature", "4");
  nvml.set("0.limit", "700000");
  Rounds rounds = rounds_of(kFakeNvml);
  const Series all = rounds.next();
  EXPECT_EQ(rounds.unread, 2U);
  EXPECT_TRUE(only(all, "device_power_watts").empty());
  EXPECT_TRUE(only(all, "device_temperature").empty());
  EXPECT_EQ(all.at("device_power_limit_watts{" + kDevice + "}"), 700);
}

TEST(Nvml, CountersThatBeginAnewGoOn) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.ecc", "5 2").set("0.field.197", "3 1000");
  Rounds rounds = rounds_of(kFakeNvml);
  (void)rounds.next();
  nvml.set("0.ecc", "1 2").set("0.field.197", "3 100");
  const Series all = rounds.next();
  EXPECT_EQ(all.at("device_ecc_errors_total{" + kDevice + ",severity=corrected}"), 5);
  nvml.set("0.ecc", "4 3").set("0.field.197", "3 350");
  const Series later = rounds.next();
  EXPECT_EQ(later.at("device_ecc_errors_total{" + kDevice + ",severity=corrected}"), 8);
  EXPECT_EQ(later.at("device_ecc_errors_total{" + kDevice + ",severity=uncorrected}"), 3);
  EXPECT_EQ(later.at("device_pcie_bytes_total{" + kDevice + ",direction=transmit}"), 1250);
}

TEST(Nvml, PcieIsMeasuredWhereItIsNotCounted) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.pcie_rate", "1500 250");
  Rounds rounds = rounds_of(kFakeNvml);
  const Series all = rounds.next();
  EXPECT_EQ(all.at("device_pcie_bytes_per_second{" + kDevice + ",direction=transmit}"), 1.5e6);
  EXPECT_EQ(all.at("device_pcie_bytes_per_second{" + kDevice + ",direction=receive}"), 250e3);
}

TEST(Nvml, XidsAreCountedByNumber) {
  FakeNvml nvml;
  add_gpu(nvml, "0");
  add_gpu(nvml, "1");
  Rounds rounds = rounds_of(kFakeNvml);
  EXPECT_TRUE(only(rounds.next(), "device_xid").empty());
  nvml.set("event.0", "0 79").set("event.1", "0 13").set("event.2", "1 13").set("event.3", "0 13");
  const Series once = only(rounds.next(), "device_xid");
  const Series expected{
      {"device_xid_errors_total{" + kDevice + ",xid=79}", 1},
      {"device_xid_errors_total{" + kDevice + ",xid=13}", 2},
      {"device_xid_errors_total{vendor=nvidia,device=0000:3c:00.0,uuid=GPU-2,xid=13}", 1},
  };
  EXPECT_EQ(once, expected);
  EXPECT_EQ(only(rounds.next(), "device_xid"), expected) << "each once";
  // A GPU falls off the bus with an xid: it is told of while the device is gone.
  nvml.set("event.4", "0 79").set("0.ret.all", "15");
  EXPECT_EQ(rounds.next().at("device_xid_errors_total{" + kDevice + ",xid=79}"), 2);
}

TEST(Nvml, MoreXidsThanThereAreAreTogether) {
  telemetry::nvml::Kept kept;
  for (std::uint64_t xid = 0; xid < 1000; ++xid) kept.count_xid(xid);
  EXPECT_EQ(kept.xids.size(), 65U);
  EXPECT_EQ(kept.xids.at("other"), 936U);
}

TEST(Nvml, ContainersThatShareADeviceHaveTheirOwn) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.compute.0", "101 1000").set("0.compute.1", "102 500").set("0.compute.2", "201 70");
  nvml.set("0.graphics.0", "201 70").set("0.mps.0", "301 9");
  nvml.set("0.sample.0", "101 10 99 99 99 99");
  Rounds rounds = rounds_of(kFakeNvml);
  const Series first = rounds.next();
  EXPECT_EQ(first.at("workload_device_memory_used_bytes" + user("c1")), 1500);
  EXPECT_EQ(first.at("workload_device_memory_used_bytes" + user("c2")), 70) << "in two lists, once";
  EXPECT_EQ(first.at("workload_device_memory_used_bytes" + user("c3")), 9);
  EXPECT_EQ(first.at("workload_device_processes" + user("c1")), 2);
  EXPECT_TRUE(only(first, "workload_device_utilization").empty()) << "of before the first look";

  nvml.set("0.sample.1", "101 20 30 10 4 2")
      .set("0.sample.2", "101 30 50 20 0 0")
      .set("0.sample.3", "201 25 15 1 0 0");
  nvml.set("0.sample.4", "102 25 4294967295 101 300 300");
  const Series second = rounds.next();
  EXPECT_DOUBLE_EQ(second.at("workload_device_utilization_ratio" + user("c1")), 0.4)
      << "the mean of its samples";
  EXPECT_DOUBLE_EQ(second.at("workload_device_memory_utilization_ratio" + user("c1")), 0.15);
  EXPECT_DOUBLE_EQ(second.at("workload_device_encoder_utilization_ratio" + user("c1")), 0.02);
  EXPECT_DOUBLE_EQ(second.at("workload_device_decoder_utilization_ratio" + user("c1")), 0.01);
  EXPECT_DOUBLE_EQ(second.at("workload_device_utilization_ratio" + user("c2")), 0.15);
  EXPECT_EQ(second.at("workload_device_utilization_ratio" + user("c3")), 0) << "it is there, and did nothing";
  EXPECT_EQ(rounds.next().at("workload_device_utilization_ratio" + user("c1")), 0) << "no sample since";
  EXPECT_EQ(rounds.unread, 0U);
}

TEST(Nvml, OfAProcessThatHasEndedTheNameIsKnownForAWhile) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.samples", "").set("0.compute.0", "101 1000").set("0.sample.0", "101 10 1 1 1 1");
  Rounds rounds = rounds_of(kFakeNvml);
  (void)rounds.next();
  rounds.ended = {101, 201};
  nvml.unset("0.compute.0").set("0.sample.1", "101 20 30 0 0 0").set("0.sample.2", "201 20 20 0 0 0");
  const Series all = rounds.next();
  EXPECT_DOUBLE_EQ(all.at("workload_device_utilization_ratio" + user("c1")), 0.3);
  const std::string unknown = "{" + kDevice + ",instance=,kind=unknown,namespace=,pod=,container=,workload=}";
  EXPECT_DOUBLE_EQ(all.at("workload_device_utilization_ratio" + unknown), 0.2) << "nobody ever knew it";
  nvml.set("0.sample.3", "101 30 30 0 0 0");
  EXPECT_DOUBLE_EQ(rounds.next(40s).at("workload_device_utilization_ratio" + unknown), 0.3);
}

TEST(Nvml, TheProcessListOfDriversThatWriteMoreThanTheySay) {
  FakeNvml nvml;
  add_gpu(nvml);
  for (int i = 0; i < 40; ++i)
    nvml.set("0.compute." + std::to_string(i), std::to_string(100 + i) + " " + std::to_string(1 << i % 20));
  for (const char* stride : {"16", "24", "32"}) {
    nvml.set("0.stride", stride);
    Rounds rounds = rounds_of(kFakeNvml);
    const Series all = rounds.next();
    EXPECT_EQ(all.at("workload_device_memory_used_bytes" + user("c1")), 2 * ((1 << 20) - 1)) << stride;
    EXPECT_EQ(all.at("workload_device_processes" + user("c1")), 40) << stride;
  }
}

TEST(Nvml, MigInstancesAreLabels) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.mig", "1").set("0.mig_most", "7");
  nvml.set("0m0.gi", "7")
      .set("0m0.ci", "0")
      .set("0m0.uuid", "MIG-a")
      .set("0m0.name", "NVIDIA A100 MIG 1g.5gb");
  nvml.set("0m0.memory", "5000 4000 1000 0").set("0m0.processors", "14");
  nvml.set("0m3.gi", "9").set("0m3.ci", "1").set("0m3.memory", "6000 4000 2000 0");
  nvml.set("0.compute.0", "101 100 7 0").set("0.compute.1", "101 10 9 1").set("0.compute.2", "201 20 9 1");
  Rounds rounds = rounds_of(kFakeNvml);
  const Series all = rounds.next();
  EXPECT_EQ(all.at("device_instance_info{" + kDevice +
                   ",instance=7/0,instance_uuid=MIG-a,model=NVIDIA A100 MIG 1g.5gb}"),
            1);
  EXPECT_EQ(all.at("device_instance_memory_total_bytes{" + kDevice + ",instance=7/0}"), 5000);
  EXPECT_EQ(all.at("device_instance_memory_used_bytes{" + kDevice + ",instance=9/1}"), 2000);
  EXPECT_EQ(all.at("device_instance_processors{" + kDevice + ",instance=7/0}"), 14);
  EXPECT_EQ(only(all, "device_instance_processors").size(), 1U);
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + user("c1", "7/0")), 100);
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + user("c1", "9/1")), 10);
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + user("c2", "9/1")), 20);
  EXPECT_EQ(rounds.unread, 0U);
  nvml.set("0.mig", "0");
  EXPECT_TRUE(only(rounds.next(), "device_instance").empty());
}

TEST(Nvml, TextOfTheLibraryIsMadeFitForLabels) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.name", "  A\tB\x1b[2J\xff  ").set("0.uuid", std::string(90, 'u'));
  Rounds rounds = rounds_of(kFakeNvml);
  const Series all = rounds.next();
  EXPECT_EQ(all.count("device_info{vendor=nvidia,device=0000:3b:00.0,uuid=" + std::string(90, 'u') +
                      ",model=A_B_[2J_,driver=580.65.06}"),
            1U);
}

TEST(Nvml, TheLibraryIsLookedForByTheLoaderAndBelowTheHostsRoot) {
  const auto node = telemetry::nvml::library_paths("/");
  EXPECT_EQ(node.front(), "libnvidia-ml.so.1");
  EXPECT_EQ(node.at(1), "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1");
  const auto host = telemetry::nvml::library_paths("/host");
  EXPECT_EQ(host.front(), "libnvidia-ml.so.1");
  EXPECT_EQ(host.at(1), "/host/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1");
}

}  // namespace
}  // namespace flowtap::test
