#include "explain/diagnosis/facts/cut_mark.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kDots = "...";
constexpr std::array<std::string_view, 4> kSigns = {kDots, "\u2026", ">", "\\"};  // ">" is that of less -S
constexpr std::array<std::string_view, 3> kBrackets = {"[]", "()", "<>"};
// A mark is short, and several tools may have left one each. What is longer is text, and any text must be done with soon.
constexpr std::size_t kLongestBracket = 64;
constexpr int kMostMarks = 8;

// What a bracket says that stands for something: "truncated 300 bytes", "...", "cut".
bool tells_of_a_cut(std::string_view text) {
  const auto begins = [text](std::string_view word) {
    return text.size() >= word.size() &&
           std::ranges::equal(text.substr(0, word.size()), word, {}, [](char c) { return to_lower(c); });
  };
  return begins("trunc") || begins("cut") || begins("snip") || begins(kDots) || begins("\u2026");
}

std::string_view without_bracket(std::string_view text) {
  for (const std::string_view bracket : kBrackets) {
    if (text.empty() || text.back() != bracket[1]) continue;
    const std::size_t before = text.size() - std::min(text.size(), kLongestBracket);
    const std::size_t open = text.substr(before).rfind(bracket[0]);
    if (open != std::string_view::npos && tells_of_a_cut(text.substr(before + open + 1)))
      return text.substr(0, before + open);
  }
  return text;
}

}  // namespace

std::string_view without_cut_mark(std::string_view text) {
  for (int marks = 0; marks < kMostMarks; ++marks) {
    const std::size_t before = text.size();
    while (text.ends_with(' ')) text.remove_suffix(1);
    text = without_bracket(text);
    for (const std::string_view sign : kSigns)
      if (text.ends_with(sign)) text.remove_suffix(sign.size());
    if (text.size() == before) break;
  }
  return text;
}

bool is_cut_sentence(std::string_view text) {
  // A reason may end with dots of its own, and then the sentence's full stop stands behind them.
  return text.starts_with("0/") && !text.ends_with("....") && without_cut_mark(text).size() < text.size();
}

}  // namespace flowtap::diagnosis
