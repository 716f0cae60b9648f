// AMD's and Intel's GPUs: trees of files, and the series that come from them.
#include <gtest/gtest.h>

#include "telemetry/devices/amd_sysfs.hpp"
#include "telemetry/devices/intel_sysfs.hpp"
#include "tests/unit/telemetry/devices/cards.hpp"
#include "tests/unit/telemetry/devices/rounds.hpp"

namespace flowtap::test {
namespace {

using Series = std::map<std::string, double>;

Rounds rounds_of(const telemetry::CardKind& kind, const FileTree& tree) {
  return Rounds(std::make_unique<telemetry::CardVendor>(kind, tree.root() + "/sys", tree.root() + "/proc"));
}

TEST(AmdCards, TellEachValueInBaseUnits) {
  FileTree tree;
  tree.file("proc/meminfo", "").file("sys/class/drm/version", "drm 1.1.0\n");
  const std::string device = add_card(tree, "card0", "0000:03:00.0", "0x1002", "amdgpu");
  tree.file("sys/class/drm/card0-DP-1/status", "connected\n");
  add_card(tree, "card1", "0000:00:02.0", "0x8086", "i915");
  tree.file(device + "/unique_id", "8f2ab3c4d5e6f708\n").file(device + "/gpu_busy_percent", "63\n");
  tree.file(device + "/mem_busy_percent", "21\n").file(device + "/mem_info_vram_total", "25753026560\n");
  tree.file(device + "/mem_info_vram_used", "1073741824\n").file(device + "/pcie_replay_count", "4\n");
  tree.file(device + "/ras/umc_err_count", "ue: 1\nce: 20\n")
      .file(device + "/power/runtime_status", "active\n");
  const std::string hwmon = device + "/hwmon/hwmon5";
  tree.file(hwmon + "/name", "amdgpu\n").file(hwmon + "/power1_average", "215000000\n");
  tree.file(hwmon + "/power1_cap", "339000000\n");
  tree.file(hwmon + "/temp1_input", "51000\n").file(hwmon + "/temp1_label", "edge\n");
  tree.file(hwmon + "/temp2_input", "64500\n").file(hwmon + "/temp2_label", "junction\n");
  tree.file(hwmon + "/temp3_input", "70000\n").file(hwmon + "/temp3_label", "mem\n");
  tree.file(hwmon + "/temp4_input", "70000\n").file(hwmon + "/temp4_label", "elsewhere\n");
  tree.file(hwmon + "/freq1_input", "2304000000\n").file(hwmon + "/freq1_label", "sclk\n");
  tree.file(hwmon + "/freq2_input", "1249000000\n").file(hwmon + "/freq2_label", "mclk\n");

  Rounds rounds = rounds_of(telemetry::amd_cards(), tree);
  (void)rounds.next();
  const Series all = rounds.next(std::chrono::seconds(2));
  const auto labels = [](const std::string& more = "") {
    return "{vendor=amd,device=0000:03:00.0,uuid=8f2ab3c4d5e6f708" + more + "}";
  };
  const Series expected{
      {"device_source_available{source=amdgpu}", 1},
      {"device_info" + labels(",model=0x744c,driver=amdgpu,index=,node=dri/card0"), 1},
      {"device_losses_total" + labels(), 0},
      {"device_utilization_ratio" + labels(), 0.63},
      {"device_memory_utilization_ratio" + labels(), 0.21},
      {"device_memory_total_bytes" + labels(), 25753026560},
      {"device_memory_used_bytes" + labels(), 1073741824},
      {"device_memory_free_bytes" + labels(), 24679284736},
      {"device_power_watts" + labels(), 215},
      {"device_power_limit_watts" + labels(), 339},
      {"device_temperature_celsius" + labels(",sensor=gpu"), 51},
      {"device_temperature_celsius" + labels(",sensor=hotspot"), 64.5},
      {"device_temperature_celsius" + labels(",sensor=memory"), 70},
      {"device_clock_hertz" + labels(",clock=graphics"), 2304e6},
      {"device_clock_hertz" + labels(",clock=memory"), 1249e6},
      {"device_ecc_errors_total" + labels(",severity=corrected"), 20},
      {"device_ecc_errors_total" + labels(",severity=uncorrected"), 1},
      {"device_pcie_replays_total" + labels(), 4},
      {"device_joules_total" + labels(), 430},
      {"device_idle_joules_total" + labels(), 159.1},
      {"device_unattributed_joules_total" + labels(), 270.9},
      {"device_ended_joules_total" + labels(), 0},
      {"device_energy_jumps_total" + labels(), 0},
  };
  for (const auto& [name, value] : expected)
    EXPECT_DOUBLE_EQ(all.contains(name) ? all.at(name) : -1, value) << name;
  for (const auto& [name, value] : all) EXPECT_TRUE(expected.contains(name)) << name << " is " << value;
  EXPECT_EQ(rounds.unread, 0U);
}

TEST(AmdCards, WhatCannotBeReadIsAbsentAndCountedAndWhatIsNotThereIsNot) {
  FileTree tree;
  tree.file("proc/meminfo", "");
  const std::string device = add_card(tree, "card0", "0000:03:00.0", "0x1002", "amdgpu");
  tree.file(device + "/gpu_busy_percent", "101\n").file(device + "/mem_info_vram_total", "-1\n");
  Rounds rounds = rounds_of(telemetry::amd_cards(), tree);
  EXPECT_EQ(rounds.next().size(), 3U) << "source, info, losses";
  EXPECT_EQ(rounds.unread, 2U);
}

TEST(AmdCards, ACardThatSleepsIsLeftAlone) {
  FileTree tree;
  tree.file("proc/meminfo", "");
  const std::string device = add_card(tree, "card0", "0000:03:00.0", "0x1002", "amdgpu");
  tree.file(device + "/gpu_busy_percent", "5\n").file(device + "/power/runtime_status", "suspended\n");
  Rounds rounds = rounds_of(telemetry::amd_cards(), tree);
  EXPECT_TRUE(only(rounds.next(), "device_utilization").empty());
  tree.file(device + "/power/runtime_status", "active\n");
  EXPECT_EQ(only(rounds.next(), "device_utilization").size(), 1U);
}

TEST(AmdCards, ContainersHaveTheirPartOfItsJoules) {
  FileTree tree;
  const std::string device = add_card(tree, "card0", "0000:03:00.0", "0x1002", "amdgpu");
  tree.file(device + "/gpu_busy_percent", "80\n")
      .file(device + "/hwmon/hwmon5/power1_average", "100000000\n");
  const auto info = [](int client, const std::string& ns) {
    return "drm-driver: amdgpu\ndrm-pdev: 0000:03:00.0\ndrm-client-id: " + std::to_string(client) +
           "\ndrm-engine-gfx: " + ns + " ns\ndrm-memory-vram: 1024 KiB\n";
  };
  open_file(tree, 101, 3, "/dev/dri/renderD128", info(1, "0"));
  open_file(tree, 201, 3, "/dev/dri/renderD128", info(2, "0"));
  Rounds rounds = rounds_of(telemetry::amd_cards(), tree);
  (void)rounds.next();
  open_file(tree, 101, 3, "/dev/dri/renderD128", info(1, "500000000"));
  open_file(tree, 201, 3, "/dev/dri/renderD128", info(2, "100000000"));
  const Series all = rounds.next();
  const auto of = [](const std::string& name) {
    return "{vendor=amd,device=0000:03:00.0,uuid=,instance=,kind=container,namespace=,pod=,container=" +
           name + ",workload=}";
  };
  EXPECT_EQ(all.at("workload_device_memory_used_bytes" + of("c1")), 1 << 20);
  EXPECT_DOUBLE_EQ(all.at("workload_device_utilization_ratio" + of("c1")), 0.5);
  EXPECT_NEAR(all.at("workload_device_joules_total" + of("c1")), 50, 1e-5);
  EXPECT_NEAR(all.at("workload_device_joules_total" + of("c2")), 10, 1e-5);
  EXPECT_NEAR(all.at("device_idle_joules_total{vendor=amd,device=0000:03:00.0,uuid=}"), 20, 1e-5);
  EXPECT_NEAR(all.at("device_unattributed_joules_total{vendor=amd,device=0000:03:00.0,uuid=}"), 20, 1e-5);
}

TEST(IntelCards, OfXe) {
  FileTree tree;
  const std::string device = add_card(tree, "card1", "0000:03:00.0", "0x8086", "xe");
  tree.file(device + "/tile0/gt0/freq0/act_freq", "2400\n");
  const std::string hwmon = device + "/hwmon/hwmon2";
  tree.file(hwmon + "/name", "xe\n")
      .file(hwmon + "/energy1_input", "5000000\n")
      .file(hwmon + "/power1_max", "190000000\n");
  tree.file(hwmon + "/temp2_input", "45000\n").file(hwmon + "/temp2_label", "pkg\n");
  tree.file(hwmon + "/temp3_input", "50000\n").file(hwmon + "/temp3_label", "vram\n");
  const auto info = [](const std::string& busy, const std::string& all) {
    return "drm-driver: xe\ndrm-pdev: 0000:03:00.0\ndrm-client-id: 1\ndrm-resident-vram0: 64 "
           "MiB\ndrm-cycles-ccs: " +
           busy + "\ndrm-total-cycles-ccs: " + all + "\n";
  };
  open_file(tree, 101, 7, "/dev/dri/renderD128", info("0", "1000"));
  Rounds rounds = rounds_of(telemetry::intel_cards(), tree);
  (void)rounds.next();
  open_file(tree, 101, 7, "/dev/dri/renderD128", info("250", "2000"));
  tree.file(hwmon + "/energy1_input", "9000000\n");
  const Series all = rounds.next();
  const std::string labels = "{vendor=intel,device=0000:03:00.0,uuid=}";
  EXPECT_EQ(all.at("device_clock_hertz{vendor=intel,device=0000:03:00.0,uuid=,clock=graphics}"), 2400e6);
  EXPECT_EQ(all.at("device_power_limit_watts" + labels), 190);
  EXPECT_EQ(only(all, "device_temperature").size(), 2U);
  EXPECT_DOUBLE_EQ(all.at("device_joules_total" + labels), 4);
  EXPECT_DOUBLE_EQ(all.at("device_idle_joules_total" + labels), 3) << "its users' work is all that is known";
  const auto user = only(all, "workload_device_joules_total");
  ASSERT_EQ(user.size(), 1U);
  EXPECT_DOUBLE_EQ(user.begin()->second, 1);
  EXPECT_EQ(only(all, "workload_device_memory_used_bytes").begin()->second, 64 << 20);
  EXPECT_EQ(rounds.unread, 0U);
}

TEST(IntelCards, OfI915NewAndOld) {
  FileTree tree;
  tree.file("proc/meminfo", "");
  add_card(tree, "card0", "0000:00:02.0", "0x8086", "i915");
  tree.file("sys/class/drm/card0/gt_act_freq_mhz", "300\n");
  Rounds rounds = rounds_of(telemetry::intel_cards(), tree);
  const std::string clock = "device_clock_hertz{vendor=intel,device=0000:00:02.0,uuid=,clock=graphics}";
  EXPECT_EQ(rounds.next().at(clock), 300e6);
  tree.file("sys/class/drm/card0/gt/gt0/rps_act_freq_mhz", "350\n");
  const Series all = rounds.next();
  EXPECT_EQ(all.at(clock), 350e6);
  EXPECT_TRUE(only(all, "device_joules").empty()) << "no power, no counter";
}

TEST(Cards, ANodeWithoutAnyHasNone) {
  const FileTree tree;
  Rounds rounds = rounds_of(telemetry::amd_cards(), tree);
  EXPECT_EQ(rounds.next(), (Series{{"device_source_available{source=amdgpu}", 0}}));
  EXPECT_EQ(rounds.board->read(), "");
  EXPECT_EQ(rounds.unread, 0U);
}

}  // namespace
}  // namespace flowtap::test
