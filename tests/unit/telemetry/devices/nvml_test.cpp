// NVML's answers, and the series that come from them. The library is a fake with the real ABI (fake_nvml.c).
#include "telemetry/devices/nvml/nvml.hpp"

#include <gtest/gtest.h>

#include "tests/unit/telemetry/devices/nvml_rounds.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
TEST(Nvml, TellsEachValueInBaseUnits) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.minor", "3").set("0.utilization", "37 12").set("0.encoder", "5").set("0.decoder", "6");
  nvml.set("0.memory", "85899345920 60000000000 25000000000 899345920");
  nvml.set("0.power", "345678").set("0.limit", "700000").set("0.energy", "123456789012");
  nvml.set("0.temperature", "45").set("0.clocks", "1980 1979 2619 1545");
  nvml.set("0.ecc", "3 1").set("0.ecc_lifetime", "30 10").set("0.replays", "7");
  nvml.set("0.field.82", "1 52");
  nvml.set("0.field.138/4294967295", "3 1000").set("0.field.139/4294967295", "3 2000");
  nvml.set("0.field.202/4294967295", "3 1").set("0.field.204/4294967295", "3 2");
  nvml.set("0.field.197", "3 5000000000").set("0.field.198", "2 6000000000").set("0.pcie_rate", "1 2");

  Rounds rounds = nvml_rounds();
  (void)rounds.next();
  nvml.set("0.field.197", "3 5000123456").set("0.field.198", "2 6000654321");
  const auto labels = [](const std::string& more = "") { return "{" + kGpu + more + "}"; };
  const Series expected{
      {"device_source_available{source=nvml}", 1},
      {"device_info" + labels(",model=NVIDIA H100 80GB HBM3,driver=580.65.06,index=0,node=nvidia3"), 1},
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
      {"device_xid_errors_total" + labels(",xid=other"), 0},
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
  Rounds rounds = nvml_rounds();
  const Series all = rounds.next();
  EXPECT_EQ(all.size(), 4U) << "source, info, losses and no Xid";
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
  Rounds rounds = nvml_rounds();
  const Series all = rounds.next();
  EXPECT_EQ(all.size(), 5U) << "source, info, losses, no Xid and a process without memory";
  EXPECT_EQ(all.at("workload_device_processes" + on_gpu("c1")), 1);
}

TEST(Nvml, AnOldLibraryHasTheValuesOfItsFunctions) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.memory", "1000 600 400 0").set("0.power", "5000").set("0.utilization", "50 50");
  nvml.set("0.compute.0", "101 300").set("0.compute.1", "201 -");
  Rounds rounds = nvml_rounds(kFakeNvmlOld);
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
  Rounds rounds = nvml_rounds();
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
  Rounds rounds = nvml_rounds();
  EXPECT_EQ(only(rounds.next(), "device_power_watts").size(), 2U);
  nvml.set("0.ret.all", "15");
  Series all = rounds.next();
  EXPECT_EQ(only(all, "device_power_watts").size(), 1U);
  EXPECT_EQ(all.at("device_losses_total{" + kGpu + "}"), 1);
  EXPECT_EQ(rounds.next().at("device_losses_total{" + kGpu + "}"), 1) << "once";
  EXPECT_EQ(rounds.unread, 0U);
  // The newly opened library has one device less at first.
  EXPECT_EQ(only(rounds.next(60s), "device_info").size(), 1U);
  nvml.unset("0.ret.all");
  EXPECT_EQ(only(rounds.next(1s), "device_info").size(), 1U);
  all = rounds.next(60s);
  EXPECT_EQ(only(all, "device_power_watts").size(), 2U);
  EXPECT_EQ(all.at("device_losses_total{" + kGpu + "}"), 1);
}

TEST(Nvml, ADeviceThatIsAddedIsFound) {
  FakeNvml nvml;
  add_gpu(nvml, "0");
  Rounds rounds = nvml_rounds();
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
  Rounds rounds = nvml_rounds();
  const Series all = rounds.next();
  EXPECT_EQ(rounds.unread, 2U);
  EXPECT_TRUE(only(all, "device_power_watts").empty());
  EXPECT_TRUE(only(all, "device_temperature").empty());
  EXPECT_EQ(all.at("device_power_limit_watts{" + kGpu + "}"), 700);
}

TEST(Nvml, CountersThatBeginAnewGoOn) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.ecc", "5 2");
  Rounds rounds = nvml_rounds();
  (void)rounds.next();
  nvml.set("0.ecc", "1 2");
  const Series all = rounds.next();
  EXPECT_EQ(all.at("device_ecc_errors_total{" + kGpu + ",severity=corrected}"), 5);
  nvml.set("0.ecc", "4 3");
  const Series later = rounds.next();
  EXPECT_EQ(later.at("device_ecc_errors_total{" + kGpu + ",severity=corrected}"), 8);
  EXPECT_EQ(later.at("device_ecc_errors_total{" + kGpu + ",severity=uncorrected}"), 3);
}

TEST(Nvml, NewNvlinksAreCountedInBytes) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.field.202/4294967295", "3 1000").set("0.field.204/4294967295", "3 2000");
  Rounds rounds = nvml_rounds();
  const Series all = rounds.next();
  EXPECT_EQ(all.at("device_nvlink_bytes_total{" + kGpu + ",direction=transmit}"), 1000);
  EXPECT_EQ(all.at("device_nvlink_bytes_total{" + kGpu + ",direction=receive}"), 2000);
}

// Without CAP_SYS_ADMIN some of them are refused.
TEST(Nvml, AFieldThatIsRefusedIsAbsentAndCounted) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.field.138/4294967295", "ret 4").set("0.field.139/4294967295", "ret 4");
  nvml.set("0.field.82", "ret 2");
  Rounds rounds = nvml_rounds();
  EXPECT_TRUE(only(rounds.next(), "device_nvlink").empty());
  EXPECT_EQ(rounds.unread, 2U);
}

const std::string kXid = "device_xid_errors_total{" + kGpu + ",xid=";

TEST(Nvml, XidsAreCountedByNumber) {
  FakeNvml nvml;
  add_gpu(nvml, "0");
  add_gpu(nvml, "1");
  const std::string other = "device_xid_errors_total{vendor=nvidia,device=0000:3c:00.0,uuid=GPU-2,xid=";
  Rounds rounds = nvml_rounds();
  EXPECT_EQ(only(rounds.next(), "device_xid"), (Series{{kXid + "other}", 0}, {other + "other}", 0}}));
  EXPECT_TRUE(only(rounds.next(), "device_last_xid").empty()) << "there was none";
  nvml.set("event.0", "0 79").set("event.1", "0 13").set("event.2", "1 13").set("event.3", "0 13");
  const Series once = only(rounds.next(), "device_xid");
  const Series expected{
      {kXid + "79}", 1}, {kXid + "13}", 2}, {kXid + "other}", 0}, {other + "13}", 1}, {other + "other}", 0}};
  EXPECT_EQ(once, expected);
  EXPECT_EQ(only(rounds.next(), "device_xid"), expected) << "each once";
  EXPECT_EQ(only(rounds.next(), "device_last_xid").size(), 2U);
  EXPECT_EQ(rounds.next().at("device_last_xid{" + kGpu + "}"), 13);
  // A GPU falls off the bus with an Xid: the Xid is reported while the device is gone.
  nvml.set("event.4", "0 79").set("0.ret.all", "15");
  EXPECT_EQ(rounds.next().at(kXid + "79}"), 2);
  EXPECT_EQ(rounds.unread, 0U);
}

TEST(Nvml, WhereXidsAreNotWatchedThereAreNone) {
  FakeNvml nvml;
  add_gpu(nvml, "0");
  add_gpu(nvml, "1");
  nvml.set("0.ret.nvmlDeviceRegisterEvents", "999").set("event.0", "0 79").set("event.1", "1 13");
  Rounds rounds = nvml_rounds();
  Series all = rounds.next();
  EXPECT_EQ(rounds.unread, 1U);
  EXPECT_TRUE(only(all, kXid).empty());
  EXPECT_EQ(only(all, "device_xid").size(), 2U) << "of the other";
  EXPECT_EQ(rounds.board->read(), "GPU: 2 by nvml (Xid not watched on 1)");
  (void)rounds.next();
  EXPECT_EQ(rounds.unread, 0U) << "once";

  // This counts for all of them, as no set of events can be had.
  nvml.set("ret.nvmlEventSetCreate", "999").unset("0.ret.nvmlDeviceRegisterEvents");
  Rounds none = nvml_rounds();
  EXPECT_TRUE(only(none.next(), "device_xid").empty());
  EXPECT_EQ(none.unread, 1U);
  EXPECT_EQ(none.board->read(), "GPU: 2 by nvml (Xid not watched on 2)");
  (void)none.next();
  EXPECT_EQ(none.unread, 0U);

  // On a platform without events nothing is unreadable, but there is no Xid either.
  nvml.set("ret.nvmlEventSetCreate", "3");
  Rounds unable = nvml_rounds();
  EXPECT_TRUE(only(unable.next(), "device_xid").empty());
  EXPECT_EQ(unable.unread, 0U);
  EXPECT_EQ(unable.board->read(), "GPU: 2 by nvml (Xid not watched on 2)");
}

TEST(Nvml, EventsThatCannotBeReadAreCounted) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("ret.nvmlEventSetWait_v2", "999");
  Rounds rounds = nvml_rounds();
  (void)rounds.next();
  EXPECT_EQ(rounds.unread, 1U);
}

TEST(Nvml, ALibraryThatDoesNotTellTheNumberOfGpusIsNotOneThatFindsNone) {
  FakeNvml nvml;
  nvml.set("gpus", "0");
  Rounds none = nvml_rounds();
  EXPECT_EQ(none.next().size(), 1U);
  EXPECT_EQ(none.board->read(), "GPU: NVML finds no GPU");
  EXPECT_EQ(none.unread, 0U);

  add_gpu(nvml);
  nvml.set("ret.count", "999");
  Rounds rounds = nvml_rounds();
  EXPECT_EQ(rounds.next().size(), 1U);
  EXPECT_EQ(rounds.board->read(), "GPU: NVML cannot tell which GPUs there are (999)");
  EXPECT_EQ(rounds.unread, 1U);
  nvml.unset("ret.count");
  EXPECT_GT(rounds.next(1s).size(), 1U);
  EXPECT_EQ(rounds.board->read(), "GPU: 1 by nvml");

  nvml.set("0.ret.handle", "4");
  Rounds refused = nvml_rounds();
  EXPECT_EQ(refused.next().size(), 1U);
  EXPECT_EQ(refused.board->read(), "GPU: NVML gives access to none of 1 GPUs");
  EXPECT_EQ(refused.unread, 1U);
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
  Rounds rounds = nvml_rounds();
  const Series all = rounds.next();
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + on_gpu("c1")), 1500);
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + on_gpu("c2")), 70) << "in two lists, once";
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + on_gpu("c3")), 9);
  EXPECT_EQ(all.at("workload_device_processes" + on_gpu("c1")), 2);
  EXPECT_EQ(rounds.unread, 0U);
}

// Processes 100 on, each with more memory than the one before.
void add_processes(FakeNvml& nvml, const std::string& list, int count, const std::string& instance = "") {
  for (int i = 0; i < count; ++i)
    nvml.set("0." + list + "." + std::to_string(i),
             std::to_string(100 + i) + " " + std::to_string((i + 1) << 10) + instance);
}

TEST(Nvml, TheProcessListOfDriversThatWriteMoreThanTheySay) {
  for (const char* stride : {"24", "32"})
    for (const bool clears : {false, true})
      for (const int count : {1, 2, 3, 40, 90}) {
        FakeNvml nvml;
        add_gpu(nvml);
        nvml.set("0.stride", stride);
        if (clears) nvml.set("0.clears", "");
        add_processes(nvml, "compute", count);
        Rounds rounds = nvml_rounds();
        const Series all = rounds.next();
        SCOPED_TRACE(std::string(stride) + (clears ? ", cleared, " : ", ") + std::to_string(count));
        EXPECT_EQ(all.at("workload_device_processes" + on_gpu("c1")), count);
        EXPECT_EQ(all.at("workload_device_memory_used_bytes" + on_gpu("c1")), (count * (count + 1) / 2)
                                                                                  << 10);
      }
}

// What they write ends in zeros, so it looks as if the library had cleared it.
TEST(Nvml, TheSameOfFewProcessesOnTheFirstInstance) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.stride", "32");
  add_processes(nvml, "compute", 2, " 0 0");
  Rounds rounds = nvml_rounds();
  EXPECT_EQ(rounds.next().at("workload_device_memory_used_bytes" + on_gpu("c1", "0/0")), 3 << 10);
}

TEST(Nvml, TheProcessListsOfTheFirstVersionsAreAsTheyWere) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.clears", "");
  add_processes(nvml, "compute", 3);
  nvml.set("0.graphics.0", "201 70 4 0").set("0.graphics.1", "301 80 4 1");
  Rounds rounds = nvml_rounds(kFakeNvmlOld);
  const Series memory = only(rounds.next(), "workload_device_memory_used_bytes");
  ASSERT_EQ(memory.size(), 3U);
  const auto of = [&](const std::string& container, const std::string& instance) {
    for (const auto& [name, value] : memory)
      if (name.find("container=" + container + ",") != std::string::npos &&
          name.find("instance=" + instance + ",") != std::string::npos)
        return value;
    return -1.0;
  };
  EXPECT_EQ(of("c1", ""), 6 << 10);
  EXPECT_EQ(of("c2", "4/0"), 70);
  EXPECT_EQ(of("c3", "4/1"), 80);
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
  Rounds rounds = nvml_rounds();
  const Series all = rounds.next();
  EXPECT_EQ(all.at("device_instance_info{" + kGpu +
                   ",instance=7/0,instance_uuid=MIG-a,model=NVIDIA A100 MIG 1g.5gb}"),
            1);
  EXPECT_EQ(all.at("device_instance_memory_total_bytes{" + kGpu + ",instance=7/0}"), 5000);
  EXPECT_EQ(all.at("device_instance_memory_used_bytes{" + kGpu + ",instance=9/1}"), 2000);
  EXPECT_EQ(all.at("device_instance_processors{" + kGpu + ",instance=7/0}"), 14);
  EXPECT_EQ(only(all, "device_instance_processors").size(), 1U);
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + on_gpu("c1", "7/0")), 100);
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + on_gpu("c1", "9/1")), 10);
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + on_gpu("c2", "9/1")), 20);
  EXPECT_EQ(rounds.unread, 0U);
  nvml.set("0.mig", "0");
  EXPECT_TRUE(only(rounds.next(), "device_instance").empty());
}

TEST(Nvml, TextOfTheLibraryIsMadeFitForLabels) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.name", "  A\tB\x1b[2J\xff  ").set("0.uuid", std::string(90, 'u'));
  Rounds rounds = nvml_rounds();
  const Series all = rounds.next();
  EXPECT_EQ(all.count("device_info{vendor=nvidia,device=0000:3b:00.0,uuid=" + std::string(90, 'u') +
                      ",model=A_B_[2J_,driver=580.65.06,index=0,node=}"),
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
