#include "telemetry/node/cpu.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using test::FileTree;

constexpr unsigned kTicks = 100;

// From a virtual machine with two CPUs.
constexpr std::string_view kStat =
    "cpu  1310418 1134356 352602 1340743 5043 0 1920 31755 0 0\n"
    "cpu0 677208 544085 173768 674942 1133 0 549 15199 40 7\n"
    "cpu1 633210 590271 178834 665800 3910 0 1371 16555 0 0\n"
    "intr 19449636 0 0 0 0 1 1 13 0 472092 0 0\n"
    "ctxt 76352348\n"
    "btime 1795455897\n"
    "processes 183155\n"
    "procs_running 5\n"
    "procs_blocked 1\n"
    "softirq 4677829 0 718293 117 40735 472079 0 4 1602514 181 1843906\n";

// One CPU after another reading of the file, as a long-lived collector sees it.
class Cpu : public testing::Test {
 protected:
  std::map<std::string, double> after(std::string_view stat) {
    tree_.file("stat", stat);
    last_ = collected_by(collector_);
    return by_name(last_);
  }
  double idle_after(std::uint64_t idle, std::uint64_t iowait = 0) {
    return after("cpu3 1 1 1 " + std::to_string(idle) + " " + std::to_string(iowait) + " 0 0 0 0 0\n")
        .at("cpu_seconds_total{cpu=3,mode=idle}");
  }

  FileTree tree_;
  CpuCollector collector_{tree_.root(), kTicks};
  Collected last_;
};

TEST_F(Cpu, AllOfTheKernelsNumbers) {
  const auto all = after(kStat);
  EXPECT_EQ(last_.unread, 0U);
  EXPECT_EQ(all.size(), 2 * 10 + 7U);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=user}"), 6772.08);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=nice}"), 5440.85);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=system}"), 1737.68);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=idle}"), 6749.42);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=iowait}"), 11.33);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=irq}"), 0);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=softirq}"), 5.49);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=0,mode=steal}"), 151.99);
  EXPECT_DOUBLE_EQ(all.at("cpu_guest_seconds_total{cpu=0,mode=user}"), 0.4);
  EXPECT_DOUBLE_EQ(all.at("cpu_guest_seconds_total{cpu=0,mode=nice}"), 0.07);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=1,mode=user}"), 6332.1);
  EXPECT_EQ(all.at("interrupts_total"), 19449636);
  EXPECT_EQ(all.at("context_switches_total"), 76352348);
  EXPECT_EQ(all.at("boot_time_seconds"), 1795455897);
  EXPECT_EQ(all.at("forks_total"), 183155);
  EXPECT_EQ(all.at("procs_running"), 5);
  EXPECT_EQ(all.at("procs_blocked"), 1);
  EXPECT_EQ(all.at("softirqs_total"), 4677829);
}

TEST_F(Cpu, WhatAnOldKernelDoesNotHaveIsAbsentAndNotCounted) {
  const auto all = after("cpu0 1 2 3 4 5 6 7\nctxt 9\n");
  EXPECT_EQ(last_.unread, 0U);
  EXPECT_EQ(all.size(), 8U);
  EXPECT_FALSE(all.contains("cpu_seconds_total{cpu=0,mode=steal}"));
}

TEST_F(Cpu, LinesThatAreNoneAreAbsentAndCountedAndTheOthersGoOn) {
  const auto all = after(
      "cpu0 1 2 3\ncpu1 1 2 3 4 x\ncpux 1 2 3 4\ncpu2 1 2 3 -4\ncpu65536 1 2 3 4\ncpu3 1 2 3 "
      "18446744073709551616\n"
      "cpu4 1 2 3 4\ncpu4 5 6 7 8\nintr\nctxt many\nctxt 1\nctxt 2\nprocesses 7");
  EXPECT_EQ(last_.unread, 10U);
  EXPECT_EQ(all.size(), 4 + 2U);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=4,mode=idle}"), 0.04);
  EXPECT_EQ(all.at("context_switches_total"), 1);
  EXPECT_EQ(all.at("forks_total"), 7);
}

TEST_F(Cpu, AFileThatIsNotThereOrCannotBeReadIsCounted) {
  EXPECT_EQ(collected_by(collector_).unread, 1U);
  tree_.file("stat/not_a_file", "");
  EXPECT_EQ(collected_by(collector_).unread, 1U);
}

TEST_F(Cpu, AnEstimateThatFallsALittleChangesNothingUntilItIsPassed) {
  EXPECT_DOUBLE_EQ(idle_after(10000), 100);
  EXPECT_DOUBLE_EQ(idle_after(9701), 100);
  EXPECT_DOUBLE_EQ(idle_after(9990), 100);
  EXPECT_DOUBLE_EQ(idle_after(10010), 100.1);
}

TEST_F(Cpu, TimeThatMovesFromIowaitToIdleIsNoNewBeginning) {
  EXPECT_DOUBLE_EQ(idle_after(10000, 2000), 100);
  const auto all = after("cpu3 1 1 1 11500 500 0 0 0 0 0\n");
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=3,mode=idle}"), 115);
  EXPECT_DOUBLE_EQ(all.at("cpu_seconds_total{cpu=3,mode=iowait}"), 20);
  // It is back: 15 seconds less idle, and yet none of them is counted twice later.
  EXPECT_DOUBLE_EQ(idle_after(10000, 2010), 115);
  EXPECT_DOUBLE_EQ(idle_after(11400, 2010), 115);
  EXPECT_DOUBLE_EQ(idle_after(11600, 2010), 116);
}

TEST_F(Cpu, ACpuThatBeganAnewContinuesWhereItWas) {
  EXPECT_DOUBLE_EQ(idle_after(10000), 100);
  EXPECT_DOUBLE_EQ(idle_after(50), 100);
  EXPECT_DOUBLE_EQ(idle_after(150), 101);
  EXPECT_DOUBLE_EQ(idle_after(20), 101) << "less than three seconds: an estimate";
  EXPECT_DOUBLE_EQ(idle_after(400), 103.5);
  EXPECT_DOUBLE_EQ(idle_after(0), 103.5) << "a second time";
  EXPECT_DOUBLE_EQ(idle_after(100), 104.5);
}

TEST_F(Cpu, ACpuThatIsGoneIsAbsentAndContinuesWhenItIsBack) {
  EXPECT_DOUBLE_EQ(idle_after(200), 2);
  const auto gone = after("cpu0 1 1 1 1\n");
  EXPECT_FALSE(gone.contains("cpu_seconds_total{cpu=3,mode=idle}"));
  EXPECT_EQ(last_.unread, 0U);
  EXPECT_DOUBLE_EQ(idle_after(10), 2) << "though it fell by less than three seconds";
  EXPECT_DOUBLE_EQ(idle_after(60), 2.5);
}

TEST_F(Cpu, AFileThatCouldNotBeReadOnceMakesNoCpuNew) {
  EXPECT_DOUBLE_EQ(idle_after(200), 2);
  EXPECT_TRUE(after("").empty());
  EXPECT_DOUBLE_EQ(idle_after(190), 2);
  EXPECT_DOUBLE_EQ(idle_after(210), 2.1);
}

TEST_F(Cpu, SumsThatWrapGoOn) {
  EXPECT_EQ(after("softirq 4294967290\nintr 100\nctxt 7\nprocesses 7\n").at("softirqs_total"), 4294967290);
  const auto all = after("softirq 4\nintr 60\nctxt 7\nprocesses 8\n");
  EXPECT_EQ(all.at("softirqs_total"), 4294967290);
  EXPECT_EQ(all.at("interrupts_total"), 100);
  EXPECT_EQ(after("softirq 14\nintr 60\n").at("softirqs_total"), 4294967300);
}

TEST(SteadyCounter, StaysWhereItsNumbersEnd) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  SteadyCounter counter;
  EXPECT_EQ(counter.next(kMost, false), kMost);
  EXPECT_EQ(counter.next(0, true), kMost);
  EXPECT_EQ(counter.next(kMost, true), kMost);
}

}  // namespace
}  // namespace flowtap::telemetry
