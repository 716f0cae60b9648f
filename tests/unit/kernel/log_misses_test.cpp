#include "kernel/log/log_misses.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(LogMisses, AreNotAllKnownWithoutEachProgramsState) {
  EXPECT_FALSE(count_misses({missed("exec", 1), missed("read", 10), fail("it is gone")}));
}

// The others' misses must be seen, or a loss would be nobody's.
TEST(LogMisses, OfAProgramThatCanNeverBeReadHideNoOthers) {
  const std::vector<std::string> names = {"exec", "read", second_of("read")};
  KnownMisses known;
  EXPECT_FALSE(known.any());
  known.look(names, {fail("it is gone"), fail("it is gone"), fail("it is gone")});
  EXPECT_FALSE(known.any());
  known.look(names, {missed("exec", 3), missed("read", 10), fail("it may not be opened")});
  EXPECT_TRUE(known.any());
  EXPECT_EQ(known.sum().unseen, 3U);
  EXPECT_EQ(known.sum().passed, 10U) << "they came to the second one, whose own misses are not known";
}

TEST(LogMisses, OfAProgramThatCannotBeReadAnyMoreStay) {
  const std::vector<std::string> names = {"exec", "read", second_of("read")};
  KnownMisses known;
  known.look(names, {missed("exec", 3), missed("read", 10), missed(second_of("read"), 100)});
  known.look(names, {missed("exec", 4), fail("it is gone"), fail("it is gone")});
  EXPECT_EQ(known.sum().unseen, 104U);
  EXPECT_EQ(known.sum().passed, 10U);
}

}  // namespace
}  // namespace flowtap::kernel
