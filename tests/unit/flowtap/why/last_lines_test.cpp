// The end of a log, as a quotation of it needs it.
#include "tools/flowtap/why/last_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace flowtap::cli {
namespace {

TEST(LastLines, AreTheLastOnesHoweverTheyCome) {
  LastLines last;
  for (unsigned i = 0; i < 30; ++i)
    for (const char c : "line " + std::to_string(i) + (i == 29 ? "" : "\n")) last.take({&c, 1});
  ASSERT_EQ(last.lines().size(), kQuotedLines);
  EXPECT_EQ(last.lines().front().text, "line 20");
  EXPECT_EQ(last.lines().back().text, "line 29") << "nobody has ended it yet";
  last = {};
  last.take(std::string(kMostQuoted, 'a') + "\n\n" + std::string(kMostQuoted, 'b'));
  last.take("b\n");
  ASSERT_EQ(last.lines().size(), 3U);
  EXPECT_FALSE(last.lines()[0].cut || last.lines()[1].cut);
  EXPECT_TRUE(last.lines()[2].cut);
  EXPECT_EQ(last.lines()[2].text, std::string(kMostQuoted, 'b'));
}

}  // namespace
}  // namespace flowtap::cli
