// Rows in which two backslashes stand for each, and lines that only look so.
#include "tools/flowtap/saved/unwrap/characters/doubled_backslashes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap::cli {
namespace {

TEST(DoubledBackslashes, AreUndoneInARowOfTabs) {
  std::string buffer;
  EXPECT_EQ(without_doubled_backslashes("1\tI1126 err=\"a \\\\\"ml\\\\\" b\\\\n\"", buffer),
            "1\tI1126 err=\"a \\\"ml\\\" b\\n\"");
  EXPECT_EQ(without_doubled_backslashes("1\t\\\\\"a\\\\\\\\\"b", buffer), "1\t\\\"a\\\\\"b");
}

TEST(DoubledBackslashes, AreTextInAnyOtherLine) {
  std::string buffer;
  for (const std::string line : {"", "I1126 err=\"a \\\\\"ml\\\\\"\"",  // no row
                                 "1\terr=\"a \\\"ml\\\"\"",             // each has its own backslash
                                 "1\tdir=\"C:\\\\\" err=\"x\"",         // the value ends with one
                                 "1\tdir=\"C:\\\\\"x\\\"", "1\t\\\\n\\\\"})
    EXPECT_EQ(without_doubled_backslashes(line, buffer), line);
}

}  // namespace
}  // namespace flowtap::cli
