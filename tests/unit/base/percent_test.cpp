#include "base/percent.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap {
namespace {

TEST(Hex, EachByteIsTwoDigitsTheHigherFirst) {
  std::string lower;
  std::string upper;
  for (const int of : {0x0a, 0xa0, 0x1f, 0xff}) {
    const auto byte = static_cast<unsigned char>(of);
    append_hex(lower, byte);
    append_upper_hex(upper, byte);
  }
  EXPECT_EQ(lower, "0aa01fff");
  EXPECT_EQ(upper, "0AA01FFF");
}

TEST(Percent, LettersDigitsAndWhatIsKeptStayAsTheyAre) {
  EXPECT_EQ(percent_encoded("aZ09-._~", "-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encoded("a-b", ""), "a%2Db");
  EXPECT_EQ(percent_encoded("", "-"), "");
}

TEST(Percent, EachOtherByteIsTwoCapitalDigits) {
  EXPECT_EQ(percent_encoded("a b/%", ""), "a%20b%2F%25");
  EXPECT_EQ(percent_encoded(std::string("\0\xff\n", 3), ""), "%00%FF%0A");
  EXPECT_EQ(percent_encoded("ü", ""), "%C3%BC");  // whatever the locale calls a letter
}

TEST(Percent, IsReadBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decoded(percent_encoded(all, "-._~")), all);
  EXPECT_EQ(percent_decoded(""), "");
  for (const char* const broken : {"%", "a%4", "%4G", "%2f", "%%41"})
    EXPECT_FALSE(percent_decoded(broken)) << broken;
}

}  // namespace
}  // namespace flowtap
