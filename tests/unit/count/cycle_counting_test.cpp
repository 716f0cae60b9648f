// Where energy is divided by cycles, and what is said where it is not.
#include "count/cycle_counting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

struct Node {
  Node() {
    tree.file("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    tree.file("sys/class/powercap/intel-rapl:0/energy_uj", "5\n");
    tree.file("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "100\n");
  }
  test::FileTree tree;
  /// `counts`: dispatches are counted.
  void choose(bool counts = true) { cycles.choose(options, counts, tree.root() + "/sys"); }

  TelemetryOptions options;
  CycleCounting cycles;
};

TEST(CycleCounting, WhereNothingIsMeasuredNothingIsSaid) {
  const test::FileTree tree;
  CycleCounting cycles;
  cycles.choose({}, true, tree.root() + "/sys");
  EXPECT_EQ(cycles.counters(), nullptr);
  EXPECT_EQ(cycles.why_not(), "");
}

TEST(CycleCounting, AreLeftToOthers) {
  Node node;
  node.options.cycles = false;
  node.choose();
  EXPECT_EQ(node.cycles.counters(), nullptr);
  EXPECT_EQ(node.cycles.why_not(), "telemetry.cycles is false");
  // Where nothing is counted there is nothing to say.
  node.choose(false);
  EXPECT_EQ(node.cycles.why_not(), "");
}

TEST(CycleCounting, WhoCannotHaveThemSaysWhy) {
  Node node;  // a node that does not list its CPUs
  node.choose();
  EXPECT_EQ(node.cycles.counters(), nullptr);
  EXPECT_NE(node.cycles.why_not(), "");
  EXPECT_EQ(node.cycles.why_not().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace flowtap
