#include "telemetry/collecting/fields.hpp"

#include <gtest/gtest.h>

namespace flowtap::telemetry {
namespace {

TEST(Fields, LinesAndWordsComeInOrder) {
  std::string_view text = "a  b\t c\n\nlast";
  std::string_view line = next_line(text);
  EXPECT_EQ(next_word(line), "a");
  EXPECT_EQ(next_word(line), "b");
  EXPECT_EQ(next_word(line), "c");
  EXPECT_EQ(next_word(line), "");
  EXPECT_EQ(next_line(text), "");
  EXPECT_EQ(next_line(text), "last");
  EXPECT_TRUE(text.empty());
}

TEST(Fields, NumbersAreWholeOrAbsent) {
  EXPECT_EQ(whole_number("18446744073709551615"), 18446744073709551615U);
  for (const auto* bad : {"", "-1", "+1", "1 ", "1x", "18446744073709551616", "0x10"})
    EXPECT_FALSE(whole_number(bad)) << bad;
  EXPECT_EQ(decimal("0.25"), 0.25);
  for (const auto* bad : {"", "-0.5", "nan", "inf", "1.5x", "1e5", "99999999999999999999"})
    EXPECT_FALSE(decimal(bad)) << bad;
}

}  // namespace
}  // namespace flowtap::telemetry
