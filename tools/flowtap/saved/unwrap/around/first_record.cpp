#include "first_record.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "outer_time.hpp"
#include "prefix.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kLongestOpening = std::size_t{4} << 10U;  // a page's head
constexpr std::size_t kHeaderRoom = 300;
constexpr std::size_t kMostBelow = std::size_t{64} << 10U;

bool is_header(std::string_view text) {
  const auto form = flow::klog_form(text);
  return form == flow::KlogForm::kJson || (form && flow::parse_klog_record(*form, text).source.contains(':'));
}

// npos: the line has no record near its beginning.
std::size_t place_of_record(std::string_view line) {
  const std::string_view near = line.substr(0, kLongestOpening);
  for (std::size_t at = near.find_first_of("IWEF{"); at != std::string_view::npos;
       at = near.find_first_of("IWEF{", at + 1))
    if ((at == 0 || !is_alphanumeric(line[at - 1])) && is_header(line.substr(at, kHeaderRoom))) return at;
  return std::string_view::npos;
}

// A record in another text's string has other quotes than klog's.
bool has_own_quotes(std::string_view record) {
  const std::size_t quote = record.find('"');
  if (quote == std::string_view::npos) return true;
  return record[quote - 1] != '\\' && !(record.substr(quote).starts_with(R"("")"));
}

// A tool that dates one line dates each, members of JSON belong to a string, and klog indents the further lines of a value.
bool may_open_text(std::string_view before) {
  const bool in_value = before.starts_with('\t') || (before.starts_with(' ') && !before.contains('<'));
  const bool is_of_tool = before.find_first_of(std::string_view("\0\x1b", 2)) != std::string_view::npos ||
                          before.contains(R"(":)") || has_time(before);
  return std::ranges::any_of(before, is_alphanumeric) && !in_value && !is_of_tool;
}

// A person, or a page, has put one quote before the whole text. Where a quote ends the line, too, each line has its own.
bool is_quote_of_text(std::string_view before, std::string_view record) {
  if (before != "\"") return false;
  std::size_t quotes = 0;
  for (std::size_t at = 0; at < record.size(); ++at) {
    if (record[at] == '\\')
      ++at;
    else if (record[at] == '"')
      ++quotes;
  }
  return quotes > 0 && quotes % 2 == 0;
}

// PowerShell shows what a program writes to its standard error as an error of its own: "docker : " stands before it, and below it
// where that was, in the user's language, and why, each line behind a "+ ".
bool is_of_powershell(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("+ ");
}

}  // namespace

void FirstRecord::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  if (passed_) return take(line, full, time);
  const std::size_t at = place_of_record(line);
  const bool has_record = at != std::string_view::npos;
  if (!held_.empty()) {
    if (has_record || bytes_ + line.size() > kMostBelow) give(at == 0 ? at_ : 0, take);
  } else if (has_record && at > 0 && has_own_quotes(line.substr(at)) &&
             (may_open_text(line.substr(0, at)) || is_quote_of_text(line.substr(0, at), line.substr(at)))) {
    at_ = at;
  } else {
    passed_ = has_record;
    return take(line, full, time);
  }
  if (passed_) return take(line, full, time);
  held_.push_back({.text = std::string(line), .full = full, .time = time});
  bytes_ += line.size();
}

void FirstRecord::give(std::size_t first_at, const Take& take) {
  passed_ = true;
  std::vector<Line> lines = std::exchange(held_, {});
  // Lines of a value behind the record may have it, too: then it is a tool's.
  const std::string before = first_at > 0 ? lines.front().text.substr(0, first_at) : std::string();
  const auto has_it = [&before](const Line& line) {
    return end_of_prefix(before, line.text).value_or(0) > 0;
  };
  if (std::ranges::any_of(lines | std::views::drop(1), has_it)) first_at = 0;
  if (first_at > 0 && std::string_view(lines.front().text).substr(0, first_at).ends_with(" : ")) {
    const auto of_error = std::ranges::find_if(lines, is_of_powershell, &Line::text);
    if (of_error != lines.end() && of_error - lines.begin() > 1) {
      lines.erase(of_error - 1,
                  std::ranges::find_if(std::views::reverse(lines), is_of_powershell, &Line::text).base());
    }
  }
  if (first_at > 0)
    lines.front().text.replace(0, first_at, utf8_length(lines.front().text.substr(0, first_at)), ' ');
  for (const Line& line : lines) take(line.text, line.full, line.time);
}

}  // namespace flowtap::cli
