#include "screen_tables.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "base/utf8.hpp"
#include "line_breaks.hpp"
#include "stream/lines/flow_key.hpp"
#include "tools/flowtap/saved/kube_columns.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"
#include "unfinished.hpp"

namespace flowtap::cli {
namespace {

// A text that is longer is looked at in parts, each of which has enough rows to show a width.
constexpr std::size_t kMostHeld = std::size_t{1} << 20U;
// Narrower ones break between a row's first words, and then it is none.
constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kMostOfARow = 256;

bool is_heading(std::string_view line) {
  KubeColumns columns(line);
  if (columns.begins_with({"Type", "Reason", "Age"}) || columns.begins_with({"----", "------"})) return true;
  if (columns.begins_with({"NAMESPACE"})) columns.word();
  return columns.begins_with({"LAST", "SEEN", "TYPE"});
}

// "Name:             web-1", as a description begins.
bool is_name_field(std::string_view line) {
  return line.starts_with("Name:  ");
}

// "QoS Class:                   Burstable"
bool is_key(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_upper(line.front())) return false;
  const auto of_key = [](char c) { return is_alphanumeric(c) || c == ' ' || c == '-'; };
  return std::ranges::all_of(line.substr(0, colon), of_key) &&
         (colon + 1 == line.size() || line[colon + 1] == ' ');
}

// A shell's line, below what a command has printed.
bool is_prompt(std::string_view line) {
  return std::string_view("$#%>").contains(line.back()) || line.contains("kubectl ") ||
         line.starts_with("$ ") || line.starts_with("# ");
}

/// What stands behind a row's type and reason.
std::string_view behind_reason(std::string_view row) {
  KubeColumns columns(row);
  for (int i = 0; i < 3; ++i)
    if (const std::string_view word = columns.word(); word == "Normal" || word == "Warning") break;
  columns.word();
  return columns.rest();
}

// A row or a heading of which a column is missing: a copy has lost the blanks before the break.
bool lacks_column(std::string_view line) {
  if (is_heading(line))
    return !line.ends_with('-') && !line.ends_with("MESSAGE") && !line.ends_with("Message") &&
           !line.ends_with("NAME");
  if (!is_event_row(line)) return false;
  KubeColumns described(behind_reason(line));
  if (described.take_age()) {
    described.take_source();
    return described.rest().empty();
  }
  KubeColumns listed(behind_reason(line));
  listed.word();
  return listed.rest().empty();
}

// Whether a scheduler's sentence in the row has its end.
bool ends_sentence(std::string_view row) {
  row = trimmed(row, " \r");
  constexpr std::string_view kBound = "Successfully assigned ";
  const std::string_view text = behind_reason(row);
  const std::size_t bound = text.find(kBound);
  if (bound == std::string_view::npos) return text.ends_with('.');
  KubeColumns words(text.substr(bound));
  for (int i = 0; i < 2; ++i) words.word();
  words.word();  // the pod
  return words.word() == "to" && flow::is_dns_subdomain(words.rest());
}

// Whether the row has such a sentence, whole.
bool has_whole_sentence(std::string_view row) {
  const std::string_view text = behind_reason(row);
  return ends_sentence(row) &&
         (text.contains(" nodes are available") || text.contains("Successfully assigned "));
}

// A row of `kubectl get pods`: "web-1   0/1   Pending   0     9m", with a namespace before it if they are of all.
bool is_pod_row(std::string_view line) {
  const auto is_count = [](std::string_view word) {
    const std::size_t of = word.find('/');
    return of > 0 && of + 1 < word.size() && word.find_first_not_of("0123456789/") == std::string_view::npos;
  };
  KubeColumns columns(line);
  if (!flow::is_dns_subdomain(columns.word())) return false;
  std::string_view ready = columns.word();
  if (flow::is_dns_subdomain(ready)) ready = columns.word();
  const std::string_view status = columns.word();
  return is_count(ready) && !status.empty() && is_upper(status.front());
}

}  // namespace

// What a person who made the pod has written stands further right in a description, and below a row only what goes on with it.
bool ScreenTables::begins_line(std::string_view line) const {
  if (is_event_row(line) || is_heading(line) || is_name_field(line) || is_prompt(line) || is_pod_row(line))
    return true;
  return !in_events_ && (line.starts_with("  ") || is_key(line));
}

void ScreenTables::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  std::string_view text = line.substr(0, line.find_last_not_of(" \r") + 1);  // npos + 1 is 0
  const bool is_row = is_event_row(text) || is_heading(text);
  const bool begins_text = is_row || is_name_field(text);
  // A record ends kubectl's text, also behind what a tool puts before its lines. A row's message may quote one.
  if (open_ && (text.empty() || (!is_row && find_record(text)))) {
    give(take);
    open_ = in_events_ = false;
  }
  if (!open_ && !begins_text) return take(line, full, time);
  open_ = true;
  if (is_name_field(text)) in_events_ = false;
  in_events_ = in_events_ || is_row;
  const bool begins = begins_line(text);
  if (bytes_ > kMostHeld && (begins || bytes_ > 2 * kMostHeld)) give(take);
  bytes_ += line.size();
  lines_.push_back(
      {.text = std::string(text), .given = std::string(line), .full = full, .time = time, .begins = begins});
}

// Whether the line goes on in the next one. A blank at the end of a line may be lost.
bool ScreenTables::goes_on(std::size_t at, std::size_t width) const {
  if (at + 1 >= lines_.size() || lines_[at + 1].begins) return false;
  const std::string& text = lines_[at].text;
  return utf8_length(text) + 1 >= width || (lines_[at].begins && lacks_column(text));
}

std::string ScreenTables::joined(std::size_t at, std::size_t parts, std::size_t width) const {
  std::string out;
  for (; parts > 1; --parts, ++at) {
    out += lines_[at].text;
    out.append(width - std::min(width, utf8_length(lines_[at].text)), ' ');
  }
  return out += lines_[at].given;
}

// The number of lines that were one. What follows a whole sentence and is none is another program's line.
std::size_t ScreenTables::parts(std::size_t at, std::size_t width) const {
  std::size_t parts = 1;
  while (parts < kMostOfARow && goes_on(at + parts - 1, width)) ++parts;
  const bool others = parts > 1 && is_event_row(lines_[at].text) && ends_sentence(lines_[at].text) &&
                      !ends_sentence(joined(at, parts, width));
  return others ? 1 : parts;
}

// The terminal's; 0: the text does not show one. Lines of the same length, none of which is longer, stand before the rest of each where
// they were broken. Other tools' lines below kubectl's may be as long, so a scheduler's sentence has to end in what follows it.
std::size_t ScreenTables::width() const {
  std::size_t width = 0;
  for (const Line& line : lines_) width = std::max(width, utf8_length(trimmed(line.given, "\r")));
  if (width < kNarrowest) return 0;
  std::size_t broken = 0;
  std::size_t fitting = 0;
  bool closes = false;
  for (std::size_t at = 0, next = 0; at < lines_.size(); at = next) {
    next = at + parts(at, width);
    for (std::size_t i = at; i < next; ++i)
      if (utf8_length(lines_[i].text) + 1 >= width) ++(i + 1 < next ? broken : fitting);
    closes = closes || (next - at > 1 && is_event_row(lines_[at].text) && !ends_sentence(lines_[at].text) &&
                        has_whole_sentence(joined(at, next - at, width)));
  }
  return closes && (broken == 1 || broken > fitting) ? width : 0;
}

void ScreenTables::give(const Take& take) {
  const std::size_t width = this->width();
  for (std::size_t at = 0, next = 0; at < lines_.size(); at = next) {
    next = at + (width > 0 ? parts(at, width) : 1);
    const std::string line = joined(at, next - at, width);
    take(line, lines_[next - 1].full, lines_[at].time);
  }
  lines_.clear();
  bytes_ = 0;
}

}  // namespace flowtap::cli
