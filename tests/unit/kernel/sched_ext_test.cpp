#include "kernel/sched_ext.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::kernel {
namespace {

TEST(SchedExt, NameComesFromSysfs) {
  test::FileTree tree;
  EXPECT_EQ(sched_ext_scheduler(tree.root()), "");
  tree.file("kernel/sched_ext/root/ops", "rusty_1.0.5_x86\n");
  EXPECT_EQ(sched_ext_scheduler(tree.root()), "rusty_1.0.5_x86");
}

TEST(SchedExt, NamesThatNoLabelMayHoldAreMadeHarmless) {
  test::FileTree tree;
  tree.file("kernel/sched_ext/root/ops", "a\"b\\c\x1b[2Jd\xff e\x7f" + std::string(500, 'x'));
  const std::string name = sched_ext_scheduler(tree.root());
  EXPECT_EQ(name.substr(0, 14), "a_b_c_[2Jd__e_");
  EXPECT_EQ(name.size(), 128U);
}

TEST(SchedExt, AKernelWithoutItHasNothingToShow) {
  const test::FileTree tree;
  EXPECT_FALSE(has_sched_ext(tree.root()));
  EXPECT_FALSE(read_sched_ext(tree.root()));
}

TEST(SchedExt, AllThatTheKernelShowsIsRead) {
  test::FileTree tree;
  tree.file("kernel/sched_ext/state", "enabled\n");
  tree.file("kernel/sched_ext/enable_seq", "7\n");
  tree.file("kernel/sched_ext/nr_rejected", "2\n");
  tree.file("kernel/sched_ext/root/ops", "lavd\n");
  tree.file("kernel/sched_ext/root/events", "SCX_EV_SELECT_CPU_FALLBACK 3\nSCX_EV_DISPATCH_KEEP_LAST 40\n");
  EXPECT_TRUE(has_sched_ext(tree.root()));
  const auto now = read_sched_ext(tree.root());
  ASSERT_TRUE(now);
  EXPECT_EQ(now->state, "enabled");
  EXPECT_EQ(now->scheduler, "lavd");
  EXPECT_EQ(now->enable_sequence, 7U);
  EXPECT_EQ(now->rejected, 2U);
  EXPECT_EQ(now->events,
            (std::map<std::string, std::uint64_t>{{"select_cpu_fallback", 3}, {"dispatch_keep_last", 40}}));
  EXPECT_EQ(now->unreadable, 0U);
}

TEST(SchedExt, WhatIsNotAsKnownIsAbsentAndCounted) {
  test::FileTree tree;
  tree.file("kernel/sched_ext/state", "disabled\n");
  tree.file("kernel/sched_ext/enable_seq", "many\n");
  tree.file("kernel/sched_ext/root/events",
            "SCX_EV_ONE -1\nSCX_EV_TWO 2 3\nOTHER 4\nSCX_EV_\"x 5\nSCX_EV_\n\nSCX_EV_GOOD 6");
  const auto now = read_sched_ext(tree.root());
  ASSERT_TRUE(now);
  EXPECT_FALSE(now->enable_sequence);
  EXPECT_FALSE(now->rejected);
  EXPECT_EQ(now->events, (std::map<std::string, std::uint64_t>{{"good", 6}}));
  EXPECT_EQ(now->unreadable, 6U) << "nr_rejected is not there, which older kernels do not have";
}

TEST(SchedExt, AStateThatCannotBeReadIsNoKernelWithoutIt) {
  test::FileTree tree;
  tree.file("kernel/sched_ext/state/not_a_file", "");
  const auto now = read_sched_ext(tree.root());
  ASSERT_TRUE(now);
  EXPECT_EQ(now->state, "");
  EXPECT_EQ(now->unreadable, 1U);
}

TEST(SchedExt, ManyEventsAreBounded) {
  test::FileTree tree;
  tree.file("kernel/sched_ext/state", "enabled\n");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "SCX_EV_E" + std::to_string(i) + " 1\n";
  tree.file("kernel/sched_ext/root/events", text);
  EXPECT_LE(read_sched_ext(tree.root())->events.size(), 64U);
}

}  // namespace
}  // namespace flowtap::kernel
