#include "telemetry/node/machine.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;
using test::FileTree;

constexpr std::string_view kTwo =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nphysical id\t: 0\n"
    "core id\t\t: 0\n\nprocessor\t: 1\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\nphysical id\t: 0\n"
    "core id\t\t: 3\n\n";

TEST(Machine, AProcessorIsWhatItsLinesSay) {
  const std::vector<Processor> expected{{"0", "AuthenticAMD", "AMD EPYC", "0", "0"},
                                        {"1", "AuthenticAMD", "AMD EPYC", "0", "3"}};
  EXPECT_EQ(parse_cpuinfo(kTwo), expected);
}

TEST(Machine, WhatIsNoProcessorIsNotOne) {
  EXPECT_TRUE(parse_cpuinfo("model name : lost\nprocessor : ARMv7 rev 3\n:\nprocessor\n").empty());
  EXPECT_EQ(parse_cpuinfo("processor : 0\nprocessor : 0\n").size(), 1U);
  EXPECT_EQ(parse_cpuinfo("processor : 0\nmodel name : a\x1b[2J\n").at(0).model.find('\x1b'),
            std::string::npos);
}

TEST(Machine, WhereTheListLacksThePlaceSysfsHasIt) {
  FileTree tree;
  tree.file("proc/cpuinfo", "processor\t: 2\nCPU implementer\t: 0x41\n")
      .file("sys/devices/system/cpu/cpu2/topology/physical_package_id", "1\n")
      .file("sys/devices/system/cpu/cpu2/topology/core_id", "7\n");
  Collected out;
  MachineCollector(tree.root(), false).collect(out);
  ASSERT_EQ(out.series.size(), 1U);
  EXPECT_EQ(out.series[0].stat->id, StatId::kNODE_PROCESSOR);
  EXPECT_EQ(out.series[0].labels, stats::Labels({"2", "0x41", "", "1", "7"}));
  EXPECT_EQ(out.unread, 0U);
}

// The list is slow to read.
TEST(Machine, ReadsTheListAnewWhenOtherCpusAreOnline) {
  FileTree tree;
  tree.file("proc/cpuinfo", kTwo).file("sys/devices/system/cpu/online", "0-1\n");
  MachineCollector collector(tree.root(), false);
  const auto processors = [&] {
    Collected out;
    collector.collect(out);
    return out.series.size();
  };
  EXPECT_EQ(processors(), 2U);
  tree.file("proc/cpuinfo", "processor\t: 0\n");
  EXPECT_EQ(processors(), 2U);
  tree.file("sys/devices/system/cpu/online", "0\n");
  EXPECT_EQ(processors(), 1U);
}

TEST(Machine, TellsTheIdsOnlyToWhoAsks) {
  FileTree tree;
  tree.file("proc/cpuinfo", "")
      .file("etc/machine-id", "0123456789abcdef\n")
      .file("proc/sys/kernel/random/boot_id", "b-1\n");
  Collected without;
  MachineCollector(tree.root(), false).collect(without);
  EXPECT_TRUE(without.series.empty());
  Collected with;
  MachineCollector(tree.root(), true).collect(with);
  ASSERT_EQ(with.series.size(), 1U);
  EXPECT_EQ(with.series[0].stat->id, StatId::kNODE_MACHINE);
  EXPECT_EQ(with.series[0].labels, stats::Labels({"0123456789abcdef", "", "b-1"}));
}

}  // namespace
}  // namespace flowtap::telemetry
