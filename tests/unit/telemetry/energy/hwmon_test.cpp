#include "telemetry/energy/hwmon.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {
namespace {

using test::FileTree;

struct Read {
  EnergyReadings all;
  std::uint64_t unread = 0;
};

Read read(const FileTree& tree) {
  Read read;
  read.all = read_hwmon(tree.root(), read.unread);
  return read;
}

TEST(Hwmon, SocketsOfAmdEnergyWithoutItsCores) {
  FileTree tree;
  tree.file("class/hwmon/hwmon0/name", "amd_energy\n");
  const auto sensor = [&](int n, const char* label, const char* uj) {
    const std::string base = "class/hwmon/hwmon0/energy" + std::to_string(n);
    tree.file(base + "_label", std::string(label) + "\n").file(base + "_input", uj);
  };
  sensor(1, "Ecore000", "100\n");
  sensor(128, "Ecore127", "100\n");
  sensor(129, "Esocket0", "3000\n");
  sensor(130, "Esocket1", "4000\n");
  const Read all = read(tree);
  EXPECT_EQ(all.unread, 0U);
  ASSERT_EQ(all.all.counters.size(), 2U);
  EXPECT_EQ(all.all.counters[0].part, "amd_energy/hwmon0/Esocket0");
  EXPECT_EQ(all.all.counters[0].domain, EnergyDomain::kSocket);
  EXPECT_EQ(all.all.counters[0].uj, 3000U);
  EXPECT_EQ(all.all.counters[1].uj, 4000U);
}

TEST(Hwmon, ThePlatformsMeterAndADevicesPower) {
  FileTree tree;
  tree.file("class/hwmon/hwmon0/name", "power_meter\n")
      .file("class/hwmon/hwmon0/power1_average", "180000000\n")
      .file("class/hwmon/hwmon0/power1_average_interval", "1000\n")
      .file("class/hwmon/hwmon0/power1_cap", "900000000\n");
  tree.file("class/hwmon/hwmon7/name", "amdgpu\n")
      .file("class/hwmon/hwmon7/power1_label", "PPT\n")
      .file("class/hwmon/hwmon7/power1_average", "30000000\n")
      .file("class/hwmon/hwmon7/power1_input", "31000000\n")  // the average stands for both
      .file("class/hwmon/hwmon7/power2_input", "1000000\n")
      .file("class/hwmon/hwmon7/power2_label", "PPT\n")  // no two series may have one name
      .file("class/hwmon/hwmon7/temp1_input", "55000\n")
      .file("devices/0000:03:00.0/power/runtime_status", "active\n");
  std::filesystem::create_symlink("../../../devices/0000:03:00.0",
                                  tree.root() + "/class/hwmon/hwmon7/device");
  const Read all = read(tree);
  EXPECT_EQ(all.unread, 0U);
  ASSERT_EQ(all.all.powers.size(), 3U);
  EXPECT_TRUE(all.all.powers[0].platform);
  EXPECT_EQ(all.all.powers[0].uw, 180'000'000U);
  EXPECT_FALSE(all.all.powers[1].platform);
  EXPECT_EQ(all.all.powers[1].chip, "amdgpu");
  EXPECT_EQ(all.all.powers[1].device, "0000:03:00.0");
  EXPECT_EQ(all.all.powers[1].sensor, "PPT");
  EXPECT_EQ(all.all.powers[1].uw, 30'000'000U);
  EXPECT_EQ(all.all.powers[2].sensor, "hwmon7/power2");
}

TEST(Hwmon, ADeviceThatSleepsIsLeftAlone) {
  FileTree tree;
  tree.file("class/hwmon/hwmon0/name", "amdgpu\n")
      .file("class/hwmon/hwmon0/power1_input", "1\n")
      .file("class/hwmon/hwmon0/device/power/runtime_status", "suspended\n");
  EXPECT_TRUE(read(tree).all.powers.empty());
  EXPECT_EQ(read(tree).unread, 0U);
}

TEST(Hwmon, WhatCannotBeReadIsAbsentAndCounted) {
  FileTree tree;
  tree.file("class/hwmon/hwmon0/name", "power_meter\n")
      .file("class/hwmon/hwmon0/power1_average", "4294967295000\n")  // no reading
      .file("class/hwmon/hwmon0/power2_average/x", "")
      .file("class/hwmon/hwmon0/power3_input", "-5\n")
      .file("class/hwmon/hwmon0/energy1_input", "much\n")
      .file("class/hwmon/hwmon0/energyx_input", "5\n")
      .file("class/hwmon/hwmon0/energy_input", "5\n")
      .file("class/hwmon/hwmon0/energy12345_input", "5\n");
  const Read all = read(tree);
  EXPECT_TRUE(all.all.powers.empty());
  EXPECT_TRUE(all.all.counters.empty());
  EXPECT_EQ(all.unread, 4U);
  // These are the machine's meters, and count where they are the last.
  std::vector<std::string> lacking;
  for (const LackingPart& part : all.all.lacking) lacking.push_back(part.part);
  EXPECT_EQ(lacking, (std::vector<std::string>{"power_meter/hwmon0/power1", "power_meter/hwmon0/power2",
                                               "power_meter/hwmon0/power3"}));
}

TEST(Hwmon, AChipThatGoesBetweenListingAndReadingIsAbsent) {
  FileTree tree;
  tree.file("class/hwmon/hwmon0/name", "amd_energy\n").file("class/hwmon/hwmon0/energy1_label", "Esocket0\n");
  std::filesystem::create_symlink("gone", tree.root() + "/class/hwmon/hwmon0/energy1_input");
  std::filesystem::create_symlink("gone", tree.root() + "/class/hwmon/hwmon0/power1_input");
  std::filesystem::create_symlink("../../devices/gone", tree.root() + "/class/hwmon/hwmon1");
  const Read all = read(tree);
  EXPECT_TRUE(all.all.counters.empty());
  EXPECT_TRUE(all.all.powers.empty());
  EXPECT_TRUE(all.all.lacking.empty());
  EXPECT_EQ(all.unread, 0U);
}

TEST(Hwmon, NoneIsNothingToCount) {
  const FileTree tree;
  EXPECT_EQ(read(tree).unread, 0U);
}

}  // namespace
}  // namespace flowtap::telemetry
