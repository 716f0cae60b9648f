#include "kernel/sched_ext.hpp"

#include <gtest/gtest.h>

#include "tests/support/file_tree.hpp"

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

}  // namespace
}  // namespace flowtap::kernel
