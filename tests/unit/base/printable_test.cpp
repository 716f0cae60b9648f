// What a terminal may be shown of text from outside.
#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

TEST(Printable, KeepsText) {
  for (const char* text : {"", "plain", "äöü €", "日本語", "😀", "a\\b"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "\\xc2\\x9b1m");                                      // C1: CSI in one character
  EXPECT_EQ(printable("\xe2\x80\xaetxt"), "\\xe2\\x80\\xaetxt");  // right-to-left override
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");        // isolate
  EXPECT_EQ(printable("\xe2\x80\xa6"), "\xe2\x80\xa6");           // the ellipsis is only a character
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");  // cut short
}

TEST(Utf8, EscapesOnlyWhatIsNotUtf8) {
  EXPECT_EQ(utf8(""), "");
  EXPECT_EQ(utf8("a\n\x7f\"\\"), "a\n\x7f\"\\");
  EXPECT_EQ(utf8(std::string_view("\0a\0", 3)), std::string_view("\0a\0", 3));
  EXPECT_EQ(utf8("\xc3\xa4"
                 "b\xe2\x82\xac\xf0\x9f\x90\x9d"),
            "\xc3\xa4"
            "b\xe2\x82\xac\xf0\x9f\x90\x9d");
  EXPECT_EQ(utf8("\x80"
                 "ab\xff\xc3"),
            "\\x80ab\\xff\\xc3");
  EXPECT_EQ(utf8("a\xed\xa0\x80z"), "a\\xed\\xa0\\x80z");  // surrogate
}

TEST(InQuotes, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(in_quotes("abc"), "\"abc\"");
  EXPECT_EQ(in_quotes("abcdef", 3), "\"abc...\"");
  EXPECT_EQ(in_quotes("aä€", 2), "\"a...\"");
}

}  // namespace
}  // namespace flowtap
