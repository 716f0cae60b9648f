#include "field_name.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"

namespace flowtap::cli {
namespace {

constexpr auto kNames = std::to_array<std::string_view>(
    {"message", "msg", "log", "line", "body", "MESSAGE", "_raw", "@message", "textPayload"});

bool may_be_in_name(char c) {
  return is_alphanumeric(c) || std::string_view("_.@-").contains(c);
}

bool is_shown_field_of_lines(std::string_view name) {
  std::string lower(name);
  if (!lower.empty()) lower.front() = to_lower(lower.front());
  return is_field_of_lines(name) || is_field_of_lines(lower);
}

// "Host: cp1 | Message: ".
bool ends_row_between_bars(std::string_view text) {
  constexpr char kBar = '|';
  const std::size_t last = text.rfind(kBar);
  if (last == std::string_view::npos || !text.ends_with(": ")) return false;
  if (!is_shown_field_of_lines(trimmed(text.substr(last + 1), " :"))) return false;
  for (std::string_view rest = text.substr(0, last); !rest.empty();) {
    const std::size_t bar = std::min(rest.find(kBar), rest.size());
    const std::size_t colon = rest.substr(0, bar).find(": ");
    if (colon == 0 || colon == std::string_view::npos) return false;
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return true;
}

// "@timestamp:Nov 26 message:". In a sentence, a blank stands behind each colon.
bool ends_row_between_blanks(std::string_view text) {
  if (!text.ends_with(':')) return false;
  const std::string_view last = text.substr(text.rfind(' ') + 1);  // npos + 1 is 0
  const auto first = static_cast<std::size_t>(std::ranges::find_if_not(text, may_be_in_name) - text.begin());
  const bool begins_so = first > 0 && !is_digit(text.front()) && first + 1 < text.size() - last.size() &&
                         text[first] == ':' && text[first + 1] != ' ';
  return begins_so && is_field_of_lines(last.substr(0, last.size() - 1));
}

}  // namespace

std::size_t length_of_field_name(std::string_view line) {
  const auto length = static_cast<std::size_t>(std::ranges::find_if_not(line, may_be_in_name) - line.begin());
  if (length == 0 || !line.substr(length).starts_with(':')) return 0;
  return line.size() == length + 1 || line[length + 1] == ' ' ? length + 1 : 0;
}

bool is_field_of_lines(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

std::size_t place_of_field_of_lines(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kNames, [text](std::string_view name) { return text.ends_with(name); });
  return found == kNames.end() ? std::string_view::npos : text.size() - found->size();
}

bool ends_row_of_fields(std::string_view text) {
  return ends_row_between_bars(text) || ends_row_between_blanks(text);
}

}  // namespace flowtap::cli
