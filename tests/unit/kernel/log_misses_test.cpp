#include "kernel/log/log_misses.hpp"

#include <gtest/gtest.h>

#include "kernel/log/log_hooks.hpp"

namespace flowtap::kernel {
namespace {

Result<ProgramStats> missed(const std::string& name, std::uint64_t misses) {
  return ProgramStats{name, true, misses, std::nullopt, std::nullopt};
}

TEST(LogMisses, OfAFirstProgramComeToItsSecond) {
  const auto misses = count_misses({missed("exec", 1), missed("read", 10), missed(second_of("read"), 100)});
  ASSERT_TRUE(misses);
  EXPECT_EQ(misses->unseen, 101U);
  EXPECT_EQ(misses->passed, 10U);
}

// Without the second one's state, the first one's misses would be nobody's; without any one's, the sum would go back.
TEST(LogMisses, AreNotKnownWithoutEachProgramsState) {
  EXPECT_FALSE(count_misses({missed("exec", 1), missed("read", 10), fail("it is gone")}));
}

}  // namespace
}  // namespace flowtap::kernel
