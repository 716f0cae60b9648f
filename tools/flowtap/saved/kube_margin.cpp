#include "kube_margin.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kLongestPlace = 200;   // of a file's name and a line's number
constexpr std::size_t kLongestPrompt = 120;  // with a machine and a directory
constexpr std::ptrdiff_t kMostInPrompt = 2;  // blanks: "me@host ~ % "
constexpr std::string_view kFences = "`~";
constexpr std::size_t kFence = 3;  // signs
// Of Jira, HTML and forums, up to what ends them.
constexpr std::array<std::string_view, 8> kBlockOpens = {"{code", "{noformat", "{quote", "<pre",
                                                         "<code", "[code",     "[pre",   "{panel"};
constexpr std::array<std::string_view, 8> kBlockCloses = {"{code}",  "{noformat}", "{quote}", "</pre>",
                                                          "</code>", "[/code]",    "[/pre]",  "{panel}"};

// "sched.log:12:", "sched.log-12-" or "12:", as grep has it before a line. 0: it has nothing.
std::size_t end_of_place(std::string_view line) {
  for (std::size_t at = line.find_first_of(":-"); at < kLongestPlace; at = line.find_first_of(":-", at + 1)) {
    const std::size_t end = line.find_first_not_of("0123456789", at + 1);
    if (end == std::string_view::npos) return 0;
    const std::string_view file = line.substr(0, at);
    const bool is_file =
        !file.contains(' ') && (line[at] == ':' || file.find_first_of("./") != std::string_view::npos);
    if (is_file && end > at + 1 && line[end] == line[at]) return end + 1;
    if (line[at] == ':' && at + 1 < line.size() && line[at + 1] == ' ') return 0;  // a field's name
  }
  return 0;
}

// How many signs of a fence the text begins with; 0: it begins with none.
std::size_t length_of_fence(std::string_view text) {
  if (text.empty() || !kFences.contains(text.front())) return 0;
  const std::size_t signs = std::min(text.find_first_not_of(text.front()), text.size());
  return signs < kFence ? 0 : signs;
}

// "{code:title=x}", "<pre class="x">". 0: the text begins with none.
std::size_t length_of_opening(std::string_view text) {
  for (const std::string_view opening : kBlockOpens) {
    if (!text.starts_with(opening)) continue;
    const std::string_view rest = text.substr(opening.size());
    const std::size_t end = rest.find(opening.front() == '{' ? '}' : opening.front() == '<' ? '>' : ']');
    const bool is_mark = end != std::string_view::npos && (end == 0 || !is_alphanumeric(rest.front()));
    if (is_mark) return opening.size() + end + 1;
  }
  return 0;
}

// "user@host:~/a$ ", "user@host a % ", "[user@host a]# ", "PS C:\a> ", or a sign alone. 0: the line begins with none.
std::size_t end_of_prompt(std::string_view line) {
  const std::size_t at = line.find_first_of("$#%>");
  if (at >= kLongestPrompt || !line.substr(at + 1).starts_with(' ')) return 0;
  const std::string_view before = line.substr(0, at);
  const std::string_view who = before.substr(before.starts_with('[') ? 1 : 0);
  const std::string_view user = who.substr(0, std::min(who.find_first_of("@ "), who.size()));
  const bool names_user = !user.empty() && who.substr(user.size()).starts_with('@') &&
                          before.starts_with('[') == before.ends_with(']') &&
                          std::ranges::count(before, ' ') <= kMostInPrompt;
  const bool is_windows = line[at] == '>' && before.starts_with("PS ");
  return before.empty() || names_user || is_windows ? at + 2 : 0;
}

bool begins_output(std::string_view text) {
  constexpr std::array<std::string_view, 4> kFirst = {"Name:  ", "NAMESPACE  ", "LAST SEEN  ", "Type  "};
  return std::ranges::any_of(kFirst, [text](std::string_view first) { return text.starts_with(first); });
}

}  // namespace

std::string with_blanks(std::string_view line) {
  constexpr std::string_view kNoBreak = "\xc2\xa0";
  std::string out(line);
  for (std::size_t at = 0; (at = out.find(kNoBreak, at)) != std::string::npos; ++at)
    out.replace(at, kNoBreak.size(), " ");
  return out;
}

std::string_view without_quote_signs(std::string_view line) {
  while (line.starts_with('>')) line.remove_prefix(line.starts_with("> ") ? 2 : 1);
  return line;
}

std::string_view without_margin(std::string_view line) {
  if (line.starts_with('>')) return without_quote_signs(line);
  if (line.starts_with('\t'))
    return line.substr(line.find_first_not_of('\t') == std::string_view::npos ? line.size()
                                                                              : line.find_first_not_of('\t'));
  for (const std::string_view border : {std::string_view("| "), std::string_view("│ ")})
    if (line.starts_with(border)) {
      line.remove_prefix(border.size());
      const std::string_view behind = border.substr(0, border.size() - 1);
      if (const std::string_view inner = trimmed(line, " \r"); inner.ends_with(behind))
        line = line.substr(0, static_cast<std::size_t>(inner.end() - line.begin()) - behind.size());
      return line;
    }
  if (const std::size_t end = end_of_place(line); end > 0) return line.substr(end);
  const std::size_t number = line.find_first_not_of(' ');
  const std::size_t end =
      number == std::string_view::npos ? number : line.find_first_not_of("0123456789", number);
  const bool numbered =
      end != std::string_view::npos && end > number && (line[end] == '\t' || line[end] == ':');
  return numbered ? line.substr(end + 1) : line;
}

std::string_view without_prompt(std::string_view line) {
  const std::size_t sign = end_of_prompt(line);
  if (sign == 0) return line;
  const std::string_view text = line.substr(0, line.find_last_not_of('\r') + 1);  // npos + 1 is 0
  if (const std::size_t written = text.rfind('\r'); written != std::string_view::npos)
    return line.substr(std::max(written + 1, sign));
  return begins_output(line.substr(sign)) ? line.substr(sign) : line;
}

std::string_view without_block_end(std::string_view line) {
  const std::string_view shown = trimmed(line, " \t\r");
  for (const std::string_view closing : kBlockCloses)
    if (shown.ends_with(closing))
      return line.substr(0, static_cast<std::size_t>(shown.end() - line.begin()) - closing.size());
  if (shown.empty() || !kFences.contains(shown.back())) return line;
  const std::size_t end = shown.find_last_not_of(shown.back()) + 1;  // npos + 1 is 0
  return shown.size() - end < kFence
             ? line
             : line.substr(0, static_cast<std::size_t>(shown.begin() - line.begin()) + end);
}

std::string_view without_fence(std::string_view line) {
  line.remove_prefix(std::max(length_of_fence(line), length_of_opening(line)));
  return without_block_end(line);
}

}  // namespace flowtap::cli
