#include "single_quoted.hpp"

namespace flowtap::cli {
namespace {

constexpr char kQuote = '\'';
constexpr std::string_view kBetween = "', '";  // two of a list

bool are_doubled(std::string_view text) {
  for (std::size_t at = text.find(kQuote); at != std::string_view::npos; at = text.find(kQuote, at + 2))
    if (!text.substr(at + 1).starts_with(kQuote)) return false;
  return true;
}

// klog writes a backslash before the quotes of a value, and Python another one before that.
bool is_pythons(std::string_view text) {
  bool found = false;
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
    const std::string_view next = text.substr(at + 1, 1);
    if (next == "\"") return false;
    found = found || next == "\\" || next == "'";
  }
  return found;
}

}  // namespace

std::size_t end_of_single_quoted(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  if (last != std::string_view::npos && text[last] == kQuote && !text.contains(kBetween)) return last;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at + 1);
    if (text[at] == '\\' || (text[at] == kQuote && rest.starts_with(kQuote)))
      ++at;
    else if (text[at] == kQuote && (rest.empty() || std::string_view(",)]}").contains(rest.front())))
      return at;
  }
  return text.size();
}

std::string_view single_quoted(std::string_view text, std::string& buffer) {
  const bool doubled = text.contains(kQuote) && are_doubled(text);
  if (!doubled && !is_pythons(text)) return text;
  const char mark = doubled ? kQuote : '\\';
  buffer.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool undone =
        text[at] == mark && at + 1 < text.size() && (text[at + 1] == mark || text[at + 1] == kQuote);
    if (undone) ++at;
    buffer += text[at];
  }
  return buffer;
}

}  // namespace flowtap::cli
