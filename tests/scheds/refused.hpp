// Kernels without sched_ext run these tests as well: there the tests check the refusal.
#pragma once

#include <gtest/gtest.h>

#include "kernel/sched_ext.hpp"
#include "scheds/schedulers.hpp"

namespace flowtap::test {

/// False where the kernel has sched_ext. Otherwise true, and each of our schedulers has said so in a sentence.
inline bool refused_here() {
  if (kernel::read_sched_ext("/sys")) return false;
  for (const std::string_view name : scheds::kSchedulerNames) {
    const auto refused = scheds::start_scheduler(name, {});
    EXPECT_FALSE(refused);
    if (refused) continue;
    EXPECT_TRUE(refused.error().what.ends_with("has no sched_ext")) << refused.error().what;
    EXPECT_TRUE(refused.error().hint.contains("CONFIG_SCHED_CLASS_EXT")) << refused.error().hint;
  }
  return true;
}

}  // namespace flowtap::test
