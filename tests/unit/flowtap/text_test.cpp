// Numbers, bars and columns.
#include "tools/flowtap/terminal/text.hpp"

#include <gtest/gtest.h>

#include "tools/flowtap/terminal/writer.hpp"

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

TEST(Text, BytesHaveThreeDigits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.00 KiB");
  EXPECT_EQ(bytes_text(123'456), "121 KiB");
  EXPECT_EQ(bytes_text(1'048'575), "1.00 MiB");
  EXPECT_EQ(bytes_text(64U << 20U), "64.0 MiB");
  EXPECT_EQ(bytes_text(18'446'744'073'709'551'615U), "16.0 EiB");
}

TEST(TerminalText, IsTheSameWhereverThePiecesEnd) {
  const std::string text =
      "a\tb\n\u00e4\u20ac\U0001f600 \x1b[31m \r\x7f \xff\xc0\x80 \u202e \xe2\x82(\xf0\x9f\x98";
  const std::string shown =
      "a\tb\n\u00e4\u20ac\U0001f600 \\x1b[31m \\r\\x7f \\xff\\xc0\\x80 \\xe2\\x80\\xae "
      "\\xe2\\x82(\\xf0\\x9f\\x98";
  for (std::size_t first = 0; first <= text.size(); ++first)
    for (std::size_t second = first; second <= text.size(); ++second) {
      TerminalText terminal;
      std::string out = terminal.show(text.substr(0, first));
      out += terminal.show(text.substr(first, second - first));
      out += terminal.show(text.substr(second));
      EXPECT_EQ(out + terminal.finish(), shown) << first << " " << second;
    }
}

TEST(TerminalText, HoldsBackNoMoreThanOneCharacter) {
  TerminalText terminal;
  EXPECT_EQ(terminal.show("x\xe2\x82"), "x");
  EXPECT_EQ(terminal.show("\xac"), "\u20ac");
  EXPECT_EQ(terminal.show("\xf0\x9f\x98\x80"), "\U0001f600");
  EXPECT_EQ(terminal.show("\x80\x80\x80\x80"), "\\x80\\x80\\x80\\x80");
  EXPECT_EQ(terminal.finish(), "");
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
