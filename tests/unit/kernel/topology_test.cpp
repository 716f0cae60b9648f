#include "kernel/topology.hpp"

#include <gtest/gtest.h>

#include "bpf/abi/cpu.h"
#include "tests/support/files/file_tree.hpp"

namespace flowtap::kernel {
namespace {

using test::FileTree;

constexpr std::uint32_t kUnknown = FTAP_PLACE_UNKNOWN;

// The order of sysfs: index0 data L1, index1 instruction L1, then unified ones.
void add_cpu(FileTree& tree, unsigned cpu, const std::string& l2, const std::string& l3 = {}) {
  const std::string dir = "devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
  const auto add = [&](int index, const char* level, const char* type, const std::string& shared) {
    tree.file(dir + std::to_string(index) + "/level", level)
        .file(dir + std::to_string(index) + "/type", type)
        .file(dir + std::to_string(index) + "/shared_cpu_list", shared);
  };
  add(0, "1\n", "Data\n", std::to_string(cpu));
  add(1, "1\n", "Instruction\n", std::to_string(cpu));
  add(2, "2\n", "Unified\n", l2);
  if (!l3.empty()) add(3, "3\n", "Unified\n", l3);
}

FileTree& cpus(FileTree& tree, const char* possible, const char* online) {
  return tree.file("devices/system/cpu/possible", possible).file("devices/system/cpu/online", online);
}

TEST(Topology, TwoNodesWithTwoCachesEach) {
  FileTree tree;
  cpus(tree, "0-7\n", "0-7\n");
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    const std::string pair = std::to_string(cpu / 2 * 2) + "-" + std::to_string(cpu / 2 * 2 + 1) + "\n";
    add_cpu(tree, cpu, std::to_string(cpu), pair);
  }
  tree.file("devices/system/node/online", "0-1\n")
      .file("devices/system/node/node0/cpulist", "0-3\n")
      .file("devices/system/node/node1/cpulist", "4-7\n");
  const auto t = read_topology(tree.root());
  ASSERT_TRUE(t) << t.error().what;
  const std::vector<CpuPlace> expected = {{0, 0}, {0, 0}, {2, 0}, {2, 0}, {4, 1}, {4, 1}, {6, 1}, {6, 1}};
  EXPECT_EQ(t->places, expected);
  EXPECT_EQ(t->possible, 8U);
}

TEST(Topology, MorePossibleThanOnlineAndGapsInNumbering) {
  FileTree tree;
  cpus(tree, "0-1,4-5\n", "0,4\n");
  add_cpu(tree, 0, "0\n");
  add_cpu(tree, 4, "4\n");
  tree.file("devices/system/node/online", "0\n").file("devices/system/node/node0/cpulist", "0,4\n");
  const auto t = read_topology(tree.root());
  ASSERT_TRUE(t) << t.error().what;
  EXPECT_EQ(t->highest_plus_one(), 6U);
  EXPECT_EQ(t->possible, 4U);
  EXPECT_EQ(t->online, 2U);
  EXPECT_EQ(t->online_list, "0,4");
  const std::vector<CpuPlace> expected = {
      {0, 0}, {kUnknown, kUnknown}, {kUnknown, kUnknown}, {kUnknown, kUnknown}, {4, 0}, {kUnknown, kUnknown}};
  EXPECT_EQ(t->places, expected) << "what is offline or does not exist shares nothing";
}

TEST(Topology, TheHighestCacheThatHoldsDataInWhateverOrder) {
  FileTree tree;
  cpus(tree, "0-7\n", "4\n");
  const auto cache = [&tree](char index, const char* level, const char* type, const char* shared) {
    const std::string dir = std::string("devices/system/cpu/cpu4/cache/index") + index;
    tree.file(dir + "/level", level).file(dir + "/type", type).file(dir + "/shared_cpu_list", shared);
  };
  cache('0', "4\n", "Instruction\n", "0-7\n");
  cache('1', "3\n", "Unified\n", "2-5\n");
  cache('2', "2\n", "Unified\n", "3-4\n");
  cache('3', "1\n", "Data\n", "4\n");
  EXPECT_EQ(read_topology(tree.root())->places.at(4).llc, 2U);
}

TEST(Topology, WithoutCachesAndNuma) {
  FileTree tree;
  cpus(tree, "0\n", "0\n");
  const auto t = read_topology(tree.root());
  ASSERT_TRUE(t) << t.error().what;
  EXPECT_EQ(t->places, (std::vector<CpuPlace>{{kUnknown, 0}}));
}

TEST(Topology, HostileFilesAreUnknownPlacesOrErrors) {
  FileTree tree;
  cpus(tree, "0-1\n", "0-1\n");
  add_cpu(tree, 0, "zero\n");
  add_cpu(tree, 1, "0-99999999999\n");
  tree.file("devices/system/node/online", "0\n").file("devices/system/node/node0/cpulist", "0-1,4000\n");
  const auto t = read_topology(tree.root());
  ASSERT_TRUE(t) << t.error().what;
  EXPECT_EQ(t->places.at(1).node, 0U);
  EXPECT_EQ(t->places.at(0).llc, 0U) << "the L1 data cache is the last one that could be read";

  tree.file("devices/system/cpu/online", "0-1,4000\n");
  const auto more = read_topology(tree.root());
  ASSERT_TRUE(more) << more.error().what;
  EXPECT_EQ(more->highest_plus_one(), 2U) << "what is not possible has no place";

  tree.file("devices/system/cpu/possible", "\n");
  EXPECT_FALSE(read_topology(tree.root()));
  tree.file("devices/system/cpu/possible", "many\n");
  EXPECT_FALSE(read_topology(tree.root()));
  EXPECT_FALSE(read_topology(tree.root() + "/nowhere"));
}

TEST(Topology, ThisMachine) {
  const auto t = read_topology("/sys");
  ASSERT_TRUE(t) << t.error().what;
  EXPECT_GE(t->possible, t->online);
  EXPECT_GE(t->highest_plus_one(), t->possible);
}

}  // namespace
}  // namespace flowtap::kernel
