#include "lost_newlines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/ascii.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix_kind.hpp"
#include "tools/flowtap/saved/unwrap/around/value_margin.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"

namespace flowtap::cli {
namespace {

/// What stands for a newline and for a tab.
struct Signs {
  std::string_view newline;
  std::string_view tab;
};
constexpr std::array kWrittenSigns = {Signs{"#012", "#011"}, Signs{R"(\012)", R"(\011)"},
                                      Signs{R"(\n)", R"(\t)"}};
constexpr std::span kSyslogs = std::span(kWrittenSigns).first<2>();

// They mean a newline only where a value of several lines shows it: records that stand side by side are told apart by their own
// grammar (joined_records.hpp).
constexpr std::string_view kNul("\0", 1);
constexpr std::string_view kBlank = " ";
constexpr auto kLineSeparators =
    std::to_array<std::string_view>({"\r", "\t", kNul, kBlank, "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f",
                                     "\xe2\x80\xa8", "\xe2\x80\xa9", "\xc2\x85", "<br>", "<br/>", "<br />"});
constexpr std::string_view kTab = "\t";
constexpr std::size_t kLongestMargin =
    256;  // bytes of what a tool has put before a line, which each further line gets

// In a page, too.
constexpr std::array<std::string_view, 2> kOpenings = {kValueBegins, "=&lt;"};
constexpr std::array<std::string_view, 2> kEnds = {kValueEnds, " &gt;"};

bool opens_value(std::string_view line) {
  return std::ranges::any_of(kOpenings, [line](std::string_view one) { return line.ends_with(one); });
}

bool ends_value(std::string_view line) {
  return std::ranges::any_of(kEnds, [line](std::string_view one) { return line.starts_with(one); });
}

// Its lines. A newline in a value between quotes is a tenant's, and what follows in a value of several lines begins as klog writes it.
std::vector<std::string> lines_in(std::string_view text, const Signs& signs) {
  std::vector<std::string> lines(1);
  bool in_string = false;
  bool in_block = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::string_view next = rest.substr(rest.starts_with(signs.newline) ? signs.newline.size() : 0);
    // A line of a value has at least its tab.
    const bool in_line = !in_block || !lines.back().empty();
    const bool newline = next.size() < rest.size() && !in_string && in_line;
    const bool opens = !in_block && opens_value(lines.back());
    const bool of_block = next.starts_with(signs.tab) || next.starts_with('\t');
    const bool closes = in_block && ends_value(next);
    // klog may write pairs behind a value, and a blank before them.
    const bool closed = !in_block && lines.size() > 1 && signs.newline != kBlank &&
                        std::ranges::find(kEnds, std::string_view(lines.back())) != kEnds.end();
    const bool begins = !in_block && (next.empty() || closed || flow::begins_klog_record(next));
    if (newline && (((opens || in_block) && of_block) || closes || begins)) {
      in_block = (opens || in_block) && of_block;
      lines.emplace_back();
      at += signs.newline.size();
      continue;
    }
    if (in_block && rest.starts_with(signs.tab)) {
      lines.back() += '\t';
      at += signs.tab.size();
      continue;
    }
    if (!in_block && rest.front() == '"') in_string = !in_string;
    const std::size_t taken = in_string && rest.front() == '\\' && rest.size() > 1 ? 2 : 1;
    lines.back() += rest.substr(0, taken);
    at += taken;
  }
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

/// What separates the lines of a value, and where the line that opens it ends.
struct Separated {
  std::string_view by;
  std::size_t at = 0;
};

std::optional<Separated> separated_value(std::string_view line) {
  for (const std::string_view opening : kOpenings)
    for (std::size_t at = line.find(opening); at != std::string_view::npos; at = line.find(opening, at + 1)) {
      const std::size_t end = at + opening.size();
      const std::string_view behind = line.substr(end);
      const auto* const by = std::ranges::find_if(kLineSeparators, [behind](std::string_view one) {
        return behind.starts_with(one) && behind.substr(one.size()).starts_with('\t');
      });
      if (by != kLineSeparators.end()) return Separated{.by = *by, .at = end};
    }
  return std::nullopt;
}

// Only what begins with a record has such newlines; it ends before `until`. Its further lines get what stands before the first one: if
// that is a line of a value, in which a tenant has written what looks like a message, so are they.
bool give_lines(std::string_view line, std::size_t until, const Signs& signs, bool full, std::uint64_t time,
                const TakeLine& take) {
  const auto found = find_record(line.substr(0, until));
  if (!found || found->quoting != Quoting::kNone || found->at > kLongestMargin) return false;
  const std::vector<std::string> lines = lines_in(line.substr(found->at), signs);
  if (lines.size() == 1) return false;
  const std::string before(line.substr(0, found->at));
  const bool is_named = std::ranges::any_of(before, is_alphanumeric);
  full = full || line.ends_with(signs.newline);
  for (const std::string& one : lines) {
    const bool has_own = is_named && end_of_prefix(before, one);
    take((has_own ? std::string() : before) + one, full || &one != &lines.back(), time);
  }
  return true;
}

}  // namespace

bool give_lost_lines(std::string_view line, bool full, std::uint64_t time, const TakeLine& take) {
  for (const Signs& signs : kWrittenSigns)
    if (const std::size_t first = line.find(signs.newline);
        first != std::string_view::npos && give_lines(line, first, signs, full, time, take))
      return true;
  const auto value = separated_value(line);
  // Prose of a component may have a blank or a tab there itself. A message with pairs behind it stands in quotes.
  const bool may_be_text = value && (value->by == kBlank || value->by == kTab);
  if (may_be_text && line.substr(0, value->at).find("] \"") == std::string_view::npos) return false;
  return value && give_lines(line, value->at, {.newline = value->by, .tab = kTab}, full, time, take);
}

std::string_view without_written_newline(std::string_view line) {
  for (const Signs& signs : kSyslogs)
    if (line.ends_with(signs.newline)) line.remove_suffix(signs.newline.size());
  return line;
}

std::string_view with_tabs(std::string_view line, std::string& buffer) {
  for (const Signs& signs : kSyslogs) {
    const std::size_t first = line.find(signs.tab);
    if (first == std::string_view::npos) continue;
    const std::string_view before = line.substr(0, first);
    const bool is_first = before.empty() || before.ends_with(' ');
    if (!is_first || before.size() > kLongestMargin || prefix_kind(before) != PrefixKind::kTools ||
        find_record(line))
      continue;
    buffer.assign(before);
    for (std::string_view rest = line.substr(first);;) {
      const std::size_t at = std::min(rest.find(signs.tab), rest.size());
      buffer.append(rest.substr(0, at));
      if (at == rest.size()) return buffer;
      buffer.append(kTab);
      rest.remove_prefix(at + signs.tab.size());
    }
  }
  return line;
}

// In a page, no text has what looks like a tag, and a value's line begins with something else.
std::vector<std::string_view> rows_of_page(std::string_view line) {
  struct Row {
    std::string_view opening;
    std::string_view closing;
  };
  constexpr auto kRows =
      std::to_array<Row>({{"<tr", "</tr>"}, {"<li", "</li>"}, {"<p>", "</p>"}, {"<div", "</div>"}});
  if (!line.starts_with('<') || line.size() == 1 || (!is_lower(line[1]) && line[1] != '!')) return {line};
  for (const Row& row : kRows) {
    const std::size_t first = line.find(row.opening);
    const std::size_t end = line.find(row.closing, std::min(first, line.size()));
    if (end == std::string_view::npos || line.find(row.closing, end + 1) == std::string_view::npos) continue;
    const auto found = find_record(line);
    if (!found || found->at < first) continue;
    std::vector<std::string_view> out;
    std::size_t begin = 0;
    for (std::size_t at = end; at != std::string_view::npos; at = line.find(row.closing, begin)) {
      out.push_back(line.substr(begin, at + row.closing.size() - begin));
      begin = at + row.closing.size();
    }
    out.back() = std::string_view(out.back().begin(), line.end());
    return out;
  }
  return {line};
}

}  // namespace flowtap::cli
