// Numbers, bars and columns.
#include "tools/flowtap/text.hpp"

#include <gtest/gtest.h>

namespace flowtap::cli {
namespace {

constexpr Style kPlain{};
constexpr Style kUtf8{.color = false, .utf8 = true};

TEST(Text, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(18446744073709551615U), "18,446,744,073,709,551,615");
}

TEST(Text, RatesHaveADecimalWhereItMatters) {
  EXPECT_EQ(rate_text(0), "0.0");
  EXPECT_EQ(rate_text(8.26), "8.3");
  EXPECT_EQ(rate_text(99.96), "100");
  EXPECT_EQ(rate_text(12345.6), "12,346");
  EXPECT_EQ(rate_text(-1), "?");
  EXPECT_EQ(rate_text(1e300), "?");
}

TEST(Text, SecondsHaveThreeDigits) {
  EXPECT_EQ(seconds_text(1.024e-6, kUtf8), "1.02 µs");
  EXPECT_EQ(seconds_text(1.024e-6, kPlain), "1.02 us");
  EXPECT_EQ(seconds_text(0.0002621, kPlain), "262 us");
  EXPECT_EQ(seconds_text(0.0009999, kPlain), "1.00 ms");
  EXPECT_EQ(seconds_text(17.18, kPlain), "17.2 s");
}

TEST(Text, UptimesHaveTwoUnits) {
  EXPECT_EQ(uptime_text(0), "0 s");
  EXPECT_EQ(uptime_text(59.9), "59 s");
  EXPECT_EQ(uptime_text(3600), "1 h");
  EXPECT_EQ(uptime_text(3661), "1 h 1 min");
  EXPECT_EQ(uptime_text(93784), "1 d 2 h");
  EXPECT_EQ(uptime_text(-5), "?");
}

TEST(Bar, FillsItsShareOfTheWidth) {
  EXPECT_EQ(bar(0.5, 4, kPlain), "##  ");
  EXPECT_EQ(bar(1.0, 4, kPlain), "####");
  EXPECT_EQ(bar(7.0, 4, kPlain), "####");
  EXPECT_EQ(bar(0, 4, kPlain), "    ");
  EXPECT_EQ(bar(0.0001, 4, kPlain), "#   ");
  EXPECT_EQ(bar(0.5, 3, kUtf8), "█▌ ");
  EXPECT_EQ(bar(1.0, 3, kUtf8), "███");
  EXPECT_EQ(bar(0.0001, 3, kUtf8), "▏  ");
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(columns(bar(i / 100.0, 7, kUtf8)), 7U) << i;
}

TEST(Fit, CountsCharactersAndNotBytes) {
  EXPECT_EQ(fit("ab", 4), "ab  ");
  EXPECT_EQ(fit("ab", 4, true), "  ab");
  EXPECT_EQ(fit("äöü", 2), "äö");
  EXPECT_EQ(fit("äöü", 3), "äöü");
  EXPECT_EQ(fit("abc", 0), "");
}

TEST(Style, PaintsOnlyWhereThereIsColor) {
  EXPECT_EQ(kPlain.paint("1", "x"), "x");
  EXPECT_EQ((Style{.color = true, .utf8 = false}.paint("1", "x")), "\x1b[1mx\x1b[0m");
}

}  // namespace
}  // namespace flowtap::cli
