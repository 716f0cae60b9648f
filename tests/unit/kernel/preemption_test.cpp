#include "kernel/preemption.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::kernel {
namespace {

constexpr const char* kDynamic = "#1 SMP PREEMPT_DYNAMIC Debian 6.12.1-1";

TEST(Preemption, AsDebugfsHasIt) {
  test::FileTree root;
  root.file("sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
  EXPECT_EQ(preemption_mode(root.root(), kDynamic), "full");
  EXPECT_TRUE(may_preempt(preemption_mode(root.root(), kDynamic)));
  root.file("sys/kernel/debug/sched/preempt", "none (voluntary) full\n");
  EXPECT_EQ(preemption_mode(root.root(), kDynamic), "voluntary");
  EXPECT_FALSE(may_preempt(preemption_mode(root.root(), kDynamic)));
}

TEST(Preemption, WithoutDebugfsOnlyAKernelThatHasNoneIsSure) {
  test::FileTree root;
  EXPECT_EQ(preemption_mode(root.root(), kDynamic), std::nullopt);
  EXPECT_TRUE(may_preempt(std::nullopt));
  EXPECT_FALSE(may_preempt(preemption_mode(root.root(), "#1 SMP Debian 6.1.1-1")));
  root.file("sys/kernel/debug/sched/preempt", "none voluntary\n");
  EXPECT_TRUE(may_preempt(preemption_mode(root.root(), kDynamic))) << "what cannot be read is nothing";
}

}  // namespace
}  // namespace flowtap::kernel
