// The index finds what trying one pattern after the other finds.
#include "explain/diagnosis/facts/pattern_index.hpp"

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

using Patterns = std::vector<std::string_view>;

bool is_match(std::string_view pattern, std::string_view text) {
  return matches(pattern, text, [](std::string_view, std::string_view) {});
}

std::size_t plainly_first(const Patterns& patterns, std::string_view text) {
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (is_match(patterns[i], text)) return i;
  return PatternIndex::kNone;
}

PatternIndex index_of(const Patterns& patterns) {
  PatternIndex out;
  for (std::size_t i = 0; i < patterns.size(); ++i) out.add(patterns[i], i);
  return out;
}

std::size_t first(const Patterns& patterns, const PatternIndex& index, std::string_view text) {
  return index.first(text, [&](std::size_t i) { return is_match(patterns[i], text); });
}

TEST(PatternIndex, FindsTheFirstPatternInTheirOrder) {
  // Two that begin with a letter and two that begin with a place match the same texts.
  Patterns patterns = {"a<>", "ab<>", "<>b", "<>", "b", "\xc3\xa9<>"};
  for (int turn = 0; turn < 6; ++turn) {
    const PatternIndex index = index_of(patterns);
    for (const std::string_view text : {"a", "ab", "abc", "b", "cb", "c", "<", "\xc3\xa9", "\xc3"})
      EXPECT_EQ(first(patterns, index, text), plainly_first(patterns, text)) << text << " in turn " << turn;
    patterns.insert(patterns.begin(), patterns.back());
    patterns.pop_back();
  }
}

TEST(PatternIndex, FindsTheRowsOfAllReasons) {
  Patterns patterns;
  for (const AdviceRow& row : advice_rows()) patterns.push_back(row.pattern);
  const PatternIndex index = index_of(patterns);
  std::size_t found = 0;
  std::size_t none = 0;
  std::istringstream in(test::golden("diagnosis/reasons.txt"));
  for (std::string reason; std::getline(in, reason);)
    // Also what is no reason as a whole, and what begins in the middle of one.
    for (const std::string& text : {reason, reason + ".", reason.substr(reason.size() / 2), "x" + reason}) {
      if (text.empty()) continue;
      const std::size_t plainly = plainly_first(patterns, text);
      EXPECT_EQ(first(patterns, index, text), plainly) << text;
      ++(plainly == PatternIndex::kNone ? none : found);
    }
  EXPECT_GT(found, 700U);
  EXPECT_GT(none, 700U);
}

TEST(PatternIndex, AsksOnlyAboutPatternsThatTheTextMayMatch) {
  Patterns patterns;
  for (const AdviceRow& row : advice_rows()) patterns.push_back(row.pattern);
  std::size_t asked = 0;
  const std::size_t none =
      index_of(patterns).first("node(s) had a reason that nobody knows", [&](std::size_t) {
        ++asked;
        return false;
      });
  EXPECT_EQ(none, PatternIndex::kNone);
  EXPECT_LT(asked, 5U);
}

}  // namespace
}  // namespace flowtap::diagnosis
