#include "tools/flowtap/saved/unwrap/wrapped/row_values.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flowtap::cli {
namespace {

using Lines = std::vector<std::string>;

const std::string kOpens = R"("I1126 10:00:00.103412       1 a.go:9] ""x"" err=<")";
const std::string kRecord = R"("I1126 10:00:00.103412       1 a.go:9] ""y""")";

Lines given(const Lines& lines) {
  RowValues values;
  Lines out;
  const RowValues::Take take = [&out](std::string_view line, bool full, std::uint64_t time) {
    out.emplace_back(line);
    EXPECT_TRUE(full);
    EXPECT_EQ(time, 7U);
  };
  for (const std::string& line : lines) values.add(line, true, 7, take);
  values.finish(take);
  return out;
}

TEST(RowValues, StandBehindEachOther) {
  EXPECT_EQ(
      given({"1,a," + kOpens, "2,b," + kOpens, "3,a,\tof a", "4,b,\tof b", "5,a, >", "6,b, >", "7,a,x"}),
      (Lines{"1,a," + kOpens, "3,a,\tof a", "5,a, >", "2,b," + kOpens, "4,b,\tof b", "6,b, >", "7,a,x"}));
  EXPECT_EQ(
      given({kOpens + ";Q;1", kRecord + ";R;2", "\"\tof; a\";Q;3", "\tof; a;Q;4", " > k=\"\";Q;5", "x"}),
      (Lines{kOpens + ";Q;1", "\"\tof; a\";Q;3", "\tof; a;Q;4", " > k=\"\";Q;5", kRecord + ";R;2", "x"}))
      << "the columns that tell the log may stand behind";
}

// An id in each row tells nothing, and a record of the same container shows that the value has been lost.
TEST(RowValues, StayWhereNothingTellsWhoseTheyAre) {
  for (const Lines& lines :
       {Lines{"Aa1," + kOpens, "Bb2," + kRecord, "Cc3,\tof a", "Dd4, >"},
        Lines{"a," + kOpens, "a," + kRecord, "a,\tof a"},
        Lines{"a,x," + kOpens, "b,y," + kRecord, "a,y,\tof a", "a,x, >"},
        Lines{"a," + kOpens, "b," + kRecord, "no row", "a,\tof a"},
        Lines{"a," + kOpens, "a,\tof a", "a, >", "b," + kRecord}, Lines{kOpens, kRecord, "\tof a"}})
    EXPECT_EQ(given(lines), lines);
}

TEST(RowValues, AreNotWaitedForLong) {
  Lines lines{"a," + kOpens};
  for (int i = 0; i < 40; ++i) lines.push_back("b," + kRecord);
  EXPECT_EQ(given(lines), lines);
  lines.emplace_back("a, >");
  EXPECT_EQ(given(lines), lines);
}

}  // namespace
}  // namespace flowtap::cli
