#include "explain/diagnosis/facts/cut_mark.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kDots = "...";
constexpr std::string_view kEllipsis = "\u2026";
constexpr std::array<std::string_view, 4> kSigns = {kDots, kEllipsis, ">", "\\"};  // ">" is that of less -S
constexpr std::array<std::string_view, 2> kGaps = {kEllipsis,
                                                   kDots};  // systemd's; dots if the locale is not UTF-8
constexpr std::string_view kSentence = "0/";                // kube-scheduler's begins so
constexpr std::array<std::string_view, 3> kBrackets = {"[]", "()", "<>"};
// Borders of tables, and quotes and tags as pages write them.
constexpr std::array<std::string_view, 11> kBehindNames = {
    "\u00a0", "\u200b", "\u2502", "\u2503", "\u2551", "&quot;", "&#34;", "&#39;", "&apos;", "&lt;", "&nbsp;"};
// A mark is short, and several tools may have left one each. What is longer is text, and any text must be done with soon.
constexpr std::size_t kLongestBracket = 64;
constexpr int kMostMarks = 8;

// What a bracket says that stands for something: "truncated 300 bytes", "...", "cut".
bool tells_of_a_cut(std::string_view text) {
  const auto begins = [text](std::string_view word) {
    return text.size() >= word.size() &&
           std::ranges::equal(text.substr(0, word.size()), word, {}, [](char c) { return to_lower(c); });
  };
  return begins("trunc") || begins("cut") || begins("snip") || begins(kDots) || begins(kEllipsis);
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

// "\n", "\"", "\u001b": the text stands in another one. At the end, a backslash means that the line goes on.
bool is_escape(std::string_view text) {
  return text.size() > 1 && text[0] == '\\' && std::string_view("nrte\"'xu0\\").contains(text[1]) &&
         !text.starts_with("\\u2026");
}

// What stands right behind a name that is whole. "%" is zsh's sign for an output that ends within a line, "$" is that
// of `cat -A` for the end of one.
bool ends_a_name(std::string_view text) {
  const auto begins = [text](std::string_view sign) { return text.starts_with(sign); };
  if (text.empty() || static_cast<unsigned char>(text.front()) < ' ' || is_escape(text)) return true;
  if (text.front() == '<') return !tells_of_a_cut(text.substr(1));
  return std::string_view("\"'`|,;)]}%$").contains(text.front()) || std::ranges::any_of(kBehindNames, begins);
}

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// How many columns the text takes on a screen.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view behind_columns(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && columns-- == 0) break;
  return text.substr(at);
}

// A program's own dots stand at the end of its words.
bool ends_words(std::string_view sign, std::string_view behind) {
  return sign == kDots && std::string_view(" ,.").contains(behind.front());
}

// systemd, src/basic/string-util.c: ellipsize_mem(), asked for 90 percent. Up to 236 it did not round.
std::string_view gap_in_line(std::string_view line) {
  const std::size_t width = width_of(line);
  for (const std::string_view sign : kGaps) {
    const std::size_t own = width_of(sign);
    if (width <= own) continue;
    for (const std::size_t at : {((width - own) * 90 + 50) / 100, width * 90 / 100})
      if (const std::string_view rest = behind_columns(line, at);
          rest.starts_with(sign) && rest.size() > sign.size() && !ends_words(sign, rest.substr(sign.size())))
        return rest.substr(0, sign.size());
  }
  return {};
}

// Go and kubectl show in this way what is not there. Other words in brackets tell of a cut.
bool ends_in_brackets(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNothing = {"<none>", "<nil>", "<unknown>", "<unset>",
                                                        "<no value>"};
  return std::ranges::any_of(kNothing, [text](std::string_view one) { return text.ends_with(one); });
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
  if (!text.starts_with(kSentence)) return false;
  const std::string_view shown = text.substr(0, text.find_last_not_of(' ') + 1);
  if (shown.ends_with('.') && shown.size() < text.size() && !shown.ends_with(kDots)) return false;
  return !shown.ends_with("....") && !ends_in_brackets(shown) && without_cut_mark(text).size() < text.size();
}

std::string_view gap_in(std::string_view record) {
  while (!record.empty()) {
    const std::size_t end = std::min(record.find('\n'), record.size());
    if (const std::string_view gap = gap_in_line(record.substr(0, end)); !gap.empty()) return gap;
    record.remove_prefix(std::min(end + 1, record.size()));
  }
  return {};
}

std::string_view before_gap(std::string_view text, std::string_view gap) {
  if (!gap.empty()) return text.substr(0, text.rfind(gap));
  if (!text.starts_with(kSentence)) return text;
  for (std::size_t at = text.find(kEllipsis); at != std::string_view::npos;
       at = text.find(kEllipsis, at + kEllipsis.size())) {
    const std::string_view behind = text.substr(at + kEllipsis.size());
    if (!behind.empty() && is_alphanumeric(text[at - 1]) && is_alphanumeric(behind.front()))
      return text.substr(0, at);
  }
  return text;
}

bool has_gap(std::string_view name) {
  return std::ranges::any_of(kGaps, [name](std::string_view sign) { return name.contains(sign); });
}

std::string_view whole_name(std::string_view text) {
  const auto of_name = [](char c) { return is_alphanumeric(c) || std::string_view("-./_").contains(c); };
  const auto length = static_cast<std::size_t>(std::ranges::find_if_not(text, of_name) - text.begin());
  std::string_view behind = text.substr(length);
  behind.remove_prefix(std::min(behind.find_first_not_of(" \t"), behind.size()));
  return ends_a_name(behind) && !text.substr(0, length).ends_with(kDots) ? text.substr(0, length)
                                                                         : std::string_view();
}

}  // namespace flowtap::diagnosis
