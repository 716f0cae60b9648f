#include "base/ascii.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace flowtap {
namespace {

TEST(Ascii, FindAnyIsFindFirstOf) {
  constexpr std::string_view kLetters = "a,} \xff";
  // Each text of up to five of these letters.
  for (std::size_t length = 0, count = 1; length <= 5; ++length, count *= kLetters.size())
    for (std::size_t number = 0; number < count; ++number) {
      std::string text;
      for (std::size_t rest = number; text.size() < length; rest /= kLetters.size())
        text += kLetters[rest % kLetters.size()];
      for (std::size_t at = 0; at <= length + 1; ++at) {
        EXPECT_EQ((find_any<',', '}'>(text, at)), text.find_first_of(",}", at)) << text << ' ' << at;
        EXPECT_EQ(find_any<'\xff'>(text, at), text.find('\xff', at)) << text << ' ' << at;
      }
    }
}

}  // namespace
}  // namespace flowtap
