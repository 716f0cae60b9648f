#include "daemon/config/yaml_trouble.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"

namespace flowtap {
namespace {

constexpr const char* kColumns =
    "the keys of one section begin in the same column, and a value that has \": \" or \" #\" in it stands in "
    "quotes";

int line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, at), '\n'));
}

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1 && text.contains('\n'); --line) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

// A parser that looks for more gives up behind the last line that says anything.
int last_line(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return line_at(text, last == std::string_view::npos ? 0 : last);
}

bool is_indented_by_tab(std::string_view line) {
  return line.substr(0, line.find_first_not_of(" \t")).contains('\t');
}

// Where the quotation begins that nobody has ended.
int quotation(std::string_view text, std::size_t from) {
  for (std::size_t at = from; (at = text.find_first_of("\"'", at)) != std::string_view::npos; ++at)
    if (at == 0 || std::string_view(" \t\n[{,:").contains(text[at - 1])) return line_at(text, at);
  return last_line(text);
}

}  // namespace

bool is_closed(std::string_view text, std::size_t at) {
  const char mark = at < text.size() ? text[at] : ' ';
  if (mark != '"' && mark != '\'') return true;
  while ((at = text.find_first_of(mark == '"' ? "\"\\" : "'", at + 1)) != std::string_view::npos) {
    // Within a quotation, a backslash or the mark itself may stand before a mark.
    const bool is_escape = text[at] == '\\' || (mark == '\'' && text.substr(at + 1).starts_with(mark));
    if (!is_escape) return true;
    ++at;
  }
  return false;
}

Error yaml_error(std::string_view text, std::string_view name, const YamlTrouble& trouble) {
  int line = std::min(trouble.line, last_line(text));
  std::string what;
  std::string hint = kColumns;
  if (is_indented_by_tab(line_of(text, line))) {
    what = "a tab stands before this line's first word, where YAML takes spaces alone";
    hint = "indent with spaces";
  } else if (trouble.said.contains("in scalar")) {
    line = quotation(text, trouble.read);
    what = "a quotation mark is opened here and not closed";
    hint = "close it, or leave it out";
  } else if (trouble.said.contains("flow not found") && trouble.open) {
    line = trouble.open->line;
    const bool is_list = trouble.open->bracket == '[';
    what = fmt::format("the {} that begins here with {} is not closed", is_list ? "list" : "section",
                       trouble.open->bracket);
    hint = fmt::format("write {} behind its last {}", is_list ? ']' : '}', is_list ? "member" : "value");
  } else if (trouble.said.contains("map value")) {
    what = "this line is no \"key: value\" of the section that it stands in";
  } else if (trouble.said.contains("not found")) {
    what = "this line belongs to no section and no list above it";
  } else {
    what = "this is no YAML (" + printable(trouble.said) + ")";
    hint = "flowtapd --print-config shows how a configuration is written";
  }
  return {fmt::format("{}:{}: {}", printable(name), line, what), std::move(hint), 0};
}

}  // namespace flowtap
