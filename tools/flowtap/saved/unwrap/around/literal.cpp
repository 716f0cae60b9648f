#include "literal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kSeparators = " \t,;[](){}:=";
constexpr std::string_view kStringQuotes = "'\"";
// b'...', u'...', r'...' in Python, N'...' and E'...' in SQL.
constexpr std::string_view kPrefixes = "bBuUrRNE";
constexpr std::array<std::string_view, 9> kValues = {"None", "True",  "False", "null",     "NULL",
                                                     "true", "false", "nil",   "undefined"};

bool is_of_name(char c) {
  return is_alphanumeric(c) || c == '_' || c == '.';
}

// Behind the string that begins at `at`; npos: it does not end here.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == quote)
      return at + 1;
  }
  return std::string_view::npos;
}

// A value, such as Python's timezone.utc behind a "=", or what a call or a member begins with: datetime(..., tzinfo=..., {ts: ...
bool is_known_name(std::string_view name, std::string_view before, std::string_view behind, bool in_object) {
  if (std::ranges::find(kValues, name) != kValues.end() || before.ends_with('=')) return true;
  behind.remove_prefix(std::min(behind.find_first_not_of(' '), behind.size()));
  return behind.starts_with('(') || behind.starts_with('=') || (in_object && behind.starts_with(':'));
}

bool begins_with_word(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text.substr(0, lower.size()), lower, {}, to_lower);
}

// SQL names a table and its columns before the values.
std::string_view without_statement(std::string_view text) {
  constexpr std::string_view kValuesBegin = "values";
  const std::string_view statement = trimmed(text);
  if (!begins_with_word(statement, "insert ") && !begins_with_word(statement, "replace ")) return text;
  const auto found = std::ranges::search(text, kValuesBegin, {}, to_lower);
  return found.empty() ? text : std::string_view(found.end(), text.end());
}

}  // namespace

bool is_of_literal(std::string_view text) {
  text = without_statement(text);
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos || !kSeparators.contains(text[first])) return false;
  // What begins amid a literal may be in any brackets.
  char bracket = std::string_view("[(").contains(text[first]) ? text[first] : '{';
  for (std::size_t at = first; at < text.size();) {
    const char c = text[at];
    if (kSeparators.contains(c) || (c == '>' && at > 0 && text[at - 1] == '=')) {
      if (std::string_view("[({").contains(c)) bracket = c;
      ++at;
    } else if (kStringQuotes.contains(c)) {
      at = at + 1 == text.size() ? text.size() : behind_string(text, at);
      if (at == std::string_view::npos) return false;
    } else if (kPrefixes.contains(c) && at + 1 < text.size() && kStringQuotes.contains(text[at + 1])) {
      ++at;
    } else if (is_digit(c) || c == '-') {
      at = std::min(text.find_first_not_of("0123456789.+-eE", at), text.size());
    } else {
      const auto* const end = std::ranges::find_if_not(text.substr(at), is_of_name);
      const std::string_view name(text.data() + at, end);
      const std::string_view before = text.substr(0, at);
      at += name.size();
      if (name.empty() || !is_known_name(name, before, text.substr(at), bracket == '{')) return false;
    }
  }
  return true;
}

std::string_view opening_of_string(std::string_view text) {
  const std::size_t from = text.find_last_of(is_of_literal(text) ? ",[({:=>" : ",[({");
  if (from == std::string_view::npos || !text.ends_with('\'')) return {};
  const std::string_view kind = trimmed(text.substr(from + 1, text.size() - from - 2));
  const bool opens = kind.empty() || (kind.size() == 1 && kPrefixes.contains(kind.front()));
  return opens ? text.substr(from) : std::string_view();
}

}  // namespace flowtap::cli
