// A filter before a pattern must let each text through that the pattern matches; what it keeps back is only time won.
#include "explain/diagnosis/facts/letter_pairs.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/facts/text_pattern.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"

namespace flowtap::diagnosis {
namespace {

bool may_match(std::string_view pattern, std::string_view text) {
  return LetterPairs::of_text(text).has_all(LetterPairs::of_pattern(pattern));
}

bool is_match(std::string_view pattern, std::string_view text) {
  return matches(pattern, text, [](std::string_view, std::string_view) {});
}

// The pattern with the same text in each of its places.
std::string filled(std::string_view pattern, std::string_view with) {
  std::string out;
  while (!pattern.empty()) {
    const std::string_view words = pattern.substr(0, pattern.find('<'));
    out += words;
    pattern.remove_prefix(words.size());
    if (pattern.empty()) break;
    out += with;
    pattern.remove_prefix(pattern.find('>') + 1);
  }
  return out;
}

TEST(LetterPairs, LetEachTextThroughThatMatches) {
  std::size_t matched = 0;
  std::size_t passed_over = 0;
  std::size_t tried = 0;
  std::istringstream in(test::golden("diagnosis/reasons.txt"));
  for (std::string reason; std::getline(in, reason);)
    for (const AdviceRow& row : advice_rows()) {
      ++tried;
      const bool may = may_match(row.pattern, reason);
      const bool is = is_match(row.pattern, reason);
      EXPECT_TRUE(may || !is) << row.pattern << " matches " << reason;
      matched += is ? 1 : 0;
      passed_over += may ? 0 : 1;
    }
  EXPECT_GT(matched, 500U);
  EXPECT_GT(passed_over, tried / 100 * 97) << "there would be no use in it";
}

TEST(LetterPairs, LetEachTextThroughThatAPatternIsMadeInto) {
  std::size_t matched = 0;
  for (const AdviceRow& row : advice_rows())
    for (const std::string_view with : {"", "x", "7", "a b", "<>", ": ", "GPU-1/2, \"é\""}) {
      const std::string text = filled(row.pattern, with);
      if (!is_match(row.pattern, text)) continue;  // a place that takes less than was put there
      ++matched;
      EXPECT_TRUE(may_match(row.pattern, text)) << row.pattern << " matches " << text;
    }
  EXPECT_GT(matched, advice_rows().size() * 6);
}

TEST(LetterPairs, BeginningAndEndCount) {
  EXPECT_TRUE(may_match("ab", "ab"));
  EXPECT_FALSE(may_match("ab", "xab"));
  EXPECT_FALSE(may_match("ab", "abx"));
  EXPECT_TRUE(may_match("<>ab<>", "xabx"));
  EXPECT_FALSE(may_match("ab<>", "xab"));
  EXPECT_FALSE(may_match("<>ab", "abx"));
  EXPECT_TRUE(may_match("a<name>b", "ab"));
  EXPECT_TRUE(may_match("<>", ""));
  EXPECT_TRUE(may_match("", ""));
  EXPECT_FALSE(may_match("a", ""));
}

}  // namespace
}  // namespace flowtap::diagnosis
