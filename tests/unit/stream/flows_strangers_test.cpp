// What is in the directory of flows and is not flowtapd's.
#include "stream/flows_strangers.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

TEST(Strangers, AreWhatFlowtapdHasNotMade) {
  test::FileTree dir;
  EXPECT_EQ(strangers_in(dir.root()).largest, "");
  EXPECT_EQ(strangers_in(dir.root()).bytes, 0U);
  dir.file(".index", std::string(100'000, 'x')).file(".journal/1", std::string(100'000, 'x'));
  dir.file("file__tmp__x.log.log", std::string(100'000, 'x'));
  EXPECT_EQ(strangers_in(dir.root()).largest, "");
  dir.file("small", "x").file("more/below/hog", std::string(1'000'000, 'x'));
  const Strangers all = strangers_in(dir.root());
  EXPECT_EQ(all.largest, "more");
  EXPECT_GE(all.bytes, 1'000'000U);
  EXPECT_LT(all.bytes, 1'100'000U);
  EXPECT_EQ(strangers_in(dir.root() + "/none").largest, "");
}

}  // namespace
}  // namespace flowtap
