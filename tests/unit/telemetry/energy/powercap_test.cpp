#include "telemetry/energy/powercap.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>

#include "base/fd.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/energy/zones.hpp"

namespace flowtap::telemetry {
namespace {

using test::add_zone;
using test::FileTree;

struct Read {
  std::vector<EnergyReading> zones;
  std::vector<std::string> lacking;
  std::uint64_t unread = 0;
};

Read read(const FileTree& tree) {
  Read read;
  EnergyReadings all = read_powercap(tree.root(), read.unread);
  read.zones = std::move(all.counters);
  for (const LackingPart& part : all.lacking) read.lacking.push_back(part.part);
  return read;
}

std::map<std::string, EnergyDomain> domains(const Read& read) {
  std::map<std::string, EnergyDomain> all;
  for (const EnergyReading& zone : read.zones) all[zone.place + " " + zone.part] = zone.domain;
  return all;
}

TEST(Powercap, AClient) {
  FileTree tree;
  tree.file("class/powercap/intel-rapl/enabled", "1\n");  // a control type, which is no zone
  add_zone(tree, "intel-rapl:0", "package-0", 10);
  add_zone(tree, "intel-rapl:0:0", "core", 5);
  add_zone(tree, "intel-rapl:0:1", "uncore", 2);
  add_zone(tree, "intel-rapl:0:2", "dram", 3);
  add_zone(tree, "intel-rapl:1", "psys", 20);
  add_zone(tree, "intel-rapl-mmio:0", "package-0", 10);
  add_zone(tree, "intel-rapl-mmio:0:0", "dram", 3);
  const Read all = read(tree);
  EXPECT_EQ(all.unread, 0U);
  EXPECT_EQ(domains(all), (std::map<std::string, EnergyDomain>{
                              {"intel-rapl:0 package-0", EnergyDomain::kPackage},
                              {"intel-rapl:0:0 package-0/core", EnergyDomain::kOther},
                              {"intel-rapl:0:1 package-0/uncore", EnergyDomain::kOther},
                              {"intel-rapl:0:2 package-0/dram", EnergyDomain::kMemory},
                              {"intel-rapl:1 psys", EnergyDomain::kPlatform},
                              {"intel-rapl-mmio:0 package-0", EnergyDomain::kPackage},
                              {"intel-rapl-mmio:0:0 package-0/dram", EnergyDomain::kMemory}}));
  // Of zones with one part the MSR's comes first: it is the one that counts.
  EXPECT_EQ(all.zones.front().place, "intel-rapl:0");
  EXPECT_EQ(all.zones.back().place, "intel-rapl-mmio:0:0");
  EXPECT_EQ(all.zones.front().uj, 10U);
  EXPECT_EQ(all.zones.front().range, test::kZoneRange);
}

TEST(Powercap, AServerOfTwoPackagesAndDies) {
  FileTree tree;
  add_zone(tree, "intel-rapl:0", "package-0-die-0", 1);
  add_zone(tree, "intel-rapl:0:0", "dram", 2);
  add_zone(tree, "intel-rapl:1", "package-1", 3);
  add_zone(tree, "intel-rapl:1:0", "dram", 4);
  add_zone(tree, "intel-rapl:1:1", "psys", 5);  // older kernels have it below its package
  EXPECT_EQ(domains(read(tree)), (std::map<std::string, EnergyDomain>{
                                     {"intel-rapl:0 package-0-die-0", EnergyDomain::kPackage},
                                     {"intel-rapl:0:0 package-0-die-0/dram", EnergyDomain::kMemory},
                                     {"intel-rapl:1 package-1", EnergyDomain::kPackage},
                                     {"intel-rapl:1:0 package-1/dram", EnergyDomain::kMemory},
                                     {"intel-rapl:1:1 psys", EnergyDomain::kPlatform}}));
}

TEST(Powercap, NoneIsNothingToCount) {
  FileTree tree;
  EXPECT_TRUE(read(tree).zones.empty());
  EXPECT_EQ(read(tree).unread, 0U);
  // Zones that limit power and count nothing, like those of DTPM.
  tree.file("class/powercap/dtpm:0/name", "cpu0\n").file("class/powercap/dtpm:0/power_uw", "5\n");
  EXPECT_TRUE(read(tree).zones.empty());
  EXPECT_EQ(read(tree).unread, 0U);
}

TEST(Powercap, WhatCannotBeReadIsAbsentAndCounted) {
  FileTree tree;
  add_zone(tree, "intel-rapl:0", "package-0", 1);
  // Even root cannot read a directory.
  tree.file("class/powercap/intel-rapl:1/name", "package-1\n")
      .file("class/powercap/intel-rapl:1/energy_uj/x", "");
  tree.file("class/powercap/intel-rapl:2/name/x", "").file("class/powercap/intel-rapl:2/energy_uj", "5\n");
  const Read some = read(tree);
  EXPECT_EQ(some.zones.size(), 1U);
  EXPECT_EQ(some.unread, 2U);
  EXPECT_EQ(some.lacking, std::vector<std::string>{"package-1"});
}

// A class directory has links, which stay in a listing when what they led to is gone.
TEST(Powercap, AZoneThatGoesBetweenListingAndReadingIsAbsent) {
  FileTree tree;
  add_zone(tree, "intel-rapl:0", "package-0", 1);
  const std::string zones = tree.root() + "/class/powercap/";
  std::filesystem::create_symlink("../../devices/gone", zones + "intel-rapl:1");
  std::filesystem::create_symlink("../../devices/gone", zones + "intel-rapl:1:0");
  // And a zone that had nothing left but its name.
  tree.file("class/powercap/intel-rapl:2/name", "package-2\n");
  const Read all = read(tree);
  EXPECT_EQ(all.zones.size(), 1U);
  EXPECT_EQ(all.unread, 0U);
  EXPECT_TRUE(all.lacking.empty());
}

// The zone may go at any time: its value means nothing without the range.
TEST(Powercap, AZoneThatGoesWhileItIsReadHasNoOtherRange) {
  for (const char* waits : {"max_energy_range_uj", "energy_uj"}) {
    SCOPED_TRACE(waits);
    FileTree tree;
    add_zone(tree, "intel-rapl:0", "package-0", 7);
    const std::string zone = tree.root() + "/class/powercap/intel-rapl:0/";
    std::filesystem::remove(zone + waits);
    ASSERT_EQ(::mkfifo((zone + waits).c_str(), 0600), 0);
    // The reader gets as far as that file, and then the zone goes.
    std::thread kernel([&] {
      const Fd end(::open((zone + waits).c_str(), O_WRONLY | O_CLOEXEC));
      for (const char* other : {"energy_uj", "max_energy_range_uj"})
        if (std::string_view(other) != waits) std::filesystem::remove(zone + other);
      const std::string text = waits == std::string_view("energy_uj") ? "7\n" : "262143328850\n";
      EXPECT_EQ(::write(end.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    });
    const Read all = read(tree);
    kernel.join();
    EXPECT_EQ(all.unread, 0U);
    EXPECT_TRUE(all.lacking.empty());
    for (const EnergyReading& reading : all.zones) EXPECT_EQ(reading.range, test::kZoneRange);
  }
}

TEST(Powercap, OnlyDigitsAreANumber) {
  for (const auto* bad : {"", "-5", "+5", "0x10", "5 6", "5\n6", "18446744073709551616", "12a", "\xff\x00"}) {
    SCOPED_TRACE(bad);
    FileTree tree;
    add_zone(tree, "intel-rapl:0", "package-0", 1);
    tree.file("class/powercap/intel-rapl:0/energy_uj", bad);
    EXPECT_TRUE(read(tree).zones.empty());
    EXPECT_EQ(read(tree).unread, 1U);
    add_zone(tree, "intel-rapl:0", "package-0", 1);
    tree.file("class/powercap/intel-rapl:0/max_energy_range_uj", bad);
    EXPECT_TRUE(read(tree).zones.empty());
    EXPECT_EQ(read(tree).unread, 1U);
  }
}

TEST(Powercap, RangesThatAreNone) {
  FileTree tree;
  tree.file("class/powercap/x:0/name", "package-0\n").file("class/powercap/x:0/energy_uj", "7\n");
  ASSERT_EQ(read(tree).zones.size(), 1U);
  EXPECT_EQ(read(tree).zones[0].range, 0U);
  tree.file("class/powercap/x:0/max_energy_range_uj", "0\n");
  ASSERT_EQ(read(tree).zones.size(), 1U);
  tree.file("class/powercap/x:0/max_energy_range_uj", "6\n");  // more than the most
  EXPECT_TRUE(read(tree).zones.empty());
  EXPECT_EQ(read(tree).unread, 1U);
}

TEST(Powercap, NamesAreMadeFitForALabel) {
  FileTree tree;
  tree.file("class/powercap/x:0/name", "../\"\n\x01 package").file("class/powercap/x:0/energy_uj", "7\n");
  tree.file("class/powercap/x:1/name", std::string(4000, 'a')).file("class/powercap/x:1/energy_uj", "7\n");
  tree.file("class/powercap/x:2/name", "\n").file("class/powercap/x:2/energy_uj", "7\n");
  tree.file("class/powercap/x:3/name", std::string(4097, 'a')).file("class/powercap/x:3/energy_uj", "7\n");
  const Read all = read(tree);
  ASSERT_EQ(all.zones.size(), 2U);
  EXPECT_EQ(all.zones[0].part, ".._____package");
  EXPECT_EQ(all.zones[1].part, std::string(64, 'a'));
  EXPECT_EQ(all.unread, 2U);
}

TEST(Powercap, ZonesAreBounded) {
  FileTree tree;
  for (int i = 0; i < 300; ++i) add_zone(tree, "x:" + std::to_string(i), "zone-" + std::to_string(i), 1);
  const Read all = read(tree);
  EXPECT_EQ(all.zones.size(), 256U);
  EXPECT_EQ(all.unread, 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
