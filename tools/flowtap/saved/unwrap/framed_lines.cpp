#include "framed_lines.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "around/prefix.hpp"
#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "enclosed_record.hpp"
#include "unwrapper.hpp"
#include "wrapped/lost_newlines.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kValueBeginsInHtml = "=&lt;";
constexpr std::size_t kLongestSign = 32;
constexpr std::size_t kMostDigits = 7;  // of a message's length

/// "123 <14>1 ", of RFC 6587: the message's length, and where it begins.
struct Counted {
  std::size_t length = 0;
  std::size_t at = 0;
};

std::optional<Counted> counted_message(std::string_view text) {
  Counted out;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + std::min(text.size(), kMostDigits), out.length);
  out.at = static_cast<std::size_t>(end - text.data()) + 1;
  if (error != std::errc{} || out.length == 0 || !text.substr(out.at - 1).starts_with(" <"))
    return std::nullopt;
  const std::size_t close = text.find_first_not_of("0123456789", out.at + 1);
  const bool is_priority = close != std::string_view::npos && text[close] == '>' && close > out.at + 1;
  return is_priority ? std::optional(out) : std::nullopt;
}

// Words behind a quote are the end of a text.
bool is_sign(std::string_view text) {
  return text.size() <= kLongestSign && (!text.contains('"') || std::ranges::none_of(text, is_alphanumeric));
}

// Behind what opens a value of several lines, which klog writes at the end of a line; npos: no sign that is short enough stands behind it.
std::size_t behind_opening(std::string_view line) {
  const std::size_t from = line.size() - std::min(line.size(), kValueBeginsInHtml.size() + kLongestSign);
  const std::string_view end = line.substr(from);
  std::size_t behind = std::string_view::npos;
  for (const std::string_view opening : {kValueBegins, kValueBeginsInHtml})
    if (const std::size_t at = end.rfind(opening); at != std::string_view::npos)
      behind = behind == std::string_view::npos ? from + at + opening.size()
                                                : std::max(behind, from + at + opening.size());
  return behind;
}

// Where the sign stands at the end of the line, also with other numbers; npos: the line does not end with it. What the line itself
// says may end with a number.
std::size_t place_of_sign(std::string_view line, std::string_view sign) {
  if (is_digit(sign.front()))
    return line.ends_with(sign) ? line.size() - sign.size() : std::string_view::npos;
  std::size_t at = line.size();
  for (std::size_t i = sign.size(); i > 0;) {
    if (at == 0) return std::string_view::npos;
    if (is_digit(sign[i - 1])) {
      if (!is_digit(line[at - 1])) return std::string_view::npos;
      while (i > 0 && is_digit(sign[i - 1])) --i;
      while (at > 0 && is_digit(line[at - 1])) --at;
    } else if (line[at - 1] == sign[i - 1]) {
      --at;
      --i;
    } else {
      return std::string_view::npos;
    }
  }
  return at;
}

// "*************************** 1. row ***************************", as mysql prints it, or "-[ RECORD 1 ]-----" of psql.
bool is_row_heading(std::string_view line) {
  return (line.starts_with("**********") && line.contains(". row **********")) ||
         line.starts_with("-[ RECORD ");
}

// Behind "   message: " or "log    | ". 0: no column begins the line.
std::size_t end_of_column_name(std::string_view line) {
  const std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view text = line.substr(at);
  const auto of_name = [](char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '@'; };
  const std::size_t name = static_cast<std::size_t>(std::ranges::find_if_not(text, of_name) - text.begin());
  if (name == 0) return 0;
  const std::size_t mark = std::min(text.find_first_not_of(' ', name), text.size());
  if (text.substr(name).starts_with(": ")) return at + name + 2;
  return text.substr(mark).starts_with("| ") ? at + mark + 2 : text.substr(name) == ":" ? line.size() : 0;
}

}  // namespace

void FramedLines::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  std::string_view shown = line;
  while (shown.ends_with('\r')) shown.remove_suffix(1);
  if (left_ > 0 || counted_message(line)) return add_message(line, full, time, take);
  if (is_row_heading(shown)) {
    in_rows_ = true;
    return;
  }
  if (in_rows_) return add_row(line, full, time, take);
  const std::vector<std::string_view> rows = rows_of_page(line);
  for (const std::string_view& row : rows) add_text(row, full || &row != &rows.back(), time, take);
}

// Only a message that ends where another one begins, or a line, was counted.
void FramedLines::add_message(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  while (true) {
    std::size_t at = 0;
    std::size_t length = left_;
    if (left_ == 0) {
      const auto counted = counted_message(line);
      if (!counted) return line.empty() ? void() : add_text(line, full, time, take);
      at = counted->at;
      length = counted->length;
    }
    const std::string_view message = line.substr(at, length);
    if (message.size() < length) {
      left_ = length - message.size() - 1;
      return add_text(message, full, time, take);
    }
    left_ = 0;
    const std::string_view rest = line.substr(at + length);
    add_text(message, full || !rest.empty(), time, take);
    if (trimmed(rest, "\r").empty()) return;
    line = rest;
  }
}

void FramedLines::add_row(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  const std::size_t at = line.starts_with('\t') ? 0 : end_of_column_name(line);
  if (at == 0) return add_text(line, full, time, take);
  const std::string_view value = line.substr(at);
  if (begins_like_a_block(value) || find_record(value)) add_text(value, full, time, take);
}

// `next` stands below it.
void FramedLines::give_held(std::string_view next, const Take& take) {
  if (!held_) return;
  const Held held = std::move(*held_);
  held_.reset();
  const std::string_view sign = std::string_view(held.text).substr(held.sign_at);
  const auto text = end_of_prefix(std::string_view(held.text).substr(0, held.text_at), next);
  const bool is_behind_each =
      text && next.substr(*text).starts_with('\t') && place_of_sign(next, sign) != std::string_view::npos;
  if (is_behind_each) sign_ = sign;
  take(std::string_view(held.text).substr(0, is_behind_each ? held.sign_at : held.text.size()), true,
       held.time);
}

void FramedLines::add_text(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  line = with_tabs(line, tabbed_);
  give_held(line, take);
  if (!sign_.empty()) {
    const std::size_t at = place_of_sign(line, sign_);
    // A sign may be a part of what opens a value.
    if (at != std::string_view::npos && !line.ends_with(kValueBegins))
      line = line.substr(0, at);
    else
      sign_.clear();
  }
  // Behind a text without quotes, nothing tells that it has ended.
  line = without_written_newline(line);
  if (give_lost_lines(line, full, time, take)) return;
  const std::size_t sign = behind_opening(line);
  if (full && sign < line.size() && is_sign(line.substr(sign)) && line.substr(sign) != "\r" &&
      !begins_like_a_block(line))
    if (const auto found = find_record(line); found && found->quoting == Quoting::kNone) {
      held_ = Held{.text = std::string(line), .text_at = found->at, .sign_at = sign, .time = time};
      return;
    }
  take(line, full, time);
}

}  // namespace flowtap::cli
