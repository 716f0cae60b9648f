#include "single_quoted.hpp"

#include "around/literal.hpp"
#include "base/trimmed.hpp"

namespace flowtap::cli {
namespace {

constexpr char kQuote = '\'';

// Whether a list goes on behind the text: `', '`, `','` or `', b'`.
bool is_of_list(std::string_view text) {
  for (std::size_t at = text.find("',"); at != std::string_view::npos; at = text.find("',", at + 1))
    if (!opening_of_string(text.substr(at + 1, text.find(kQuote, at + 1) - at)).empty()) return true;
  return false;
}

// `behind` a quote.
bool ends_string(std::string_view behind) {
  const std::string_view next = trimmed(behind);
  return next.empty() || behind.starts_with(',') || std::string_view(")]}").contains(next.front());
}

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
  if (last != std::string_view::npos && text[last] == kQuote && !is_of_list(text)) return last;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at + 1);
    if (text[at] == '\\' || (text[at] == kQuote && rest.starts_with(kQuote)))
      ++at;
    else if (text[at] == kQuote && ends_string(rest))
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
