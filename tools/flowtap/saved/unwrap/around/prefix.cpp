#include "prefix.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "prefix_kind.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tai64.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kTelling = 200;  // bytes of a prefix that tell its log
constexpr char kEscape = '\x1b';

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// "26T10" and "03Z" are parts of times.
bool is_of_a_time(char c) {
  return c == 'T' || c == 'Z';
}

/// How far a line begins like a prefix.
struct Alike {
  std::size_t in_prefix = 0;
  std::size_t in_line = 0;
  std::size_t marks = 0;  ///< characters that are no space, a number being one
};

bool is_before_number(std::string_view prefix, std::size_t space) {
  const std::size_t behind = prefix.find_first_not_of(' ', space);
  return behind != std::string_view::npos && is_digit(prefix[behind]);
}

Alike alike(std::string_view prefix, std::string_view line) {
  Alike out;
  auto& [i, at, marks] = out;
  while (i < prefix.size()) {
    if (const std::size_t label = length_of_tai64(prefix.substr(i));
        label > 0 && length_of_tai64(line.substr(std::min(at, line.size()))) == label) {
      i += label;
      at += label;
      ++marks;
    } else if (is_digit(prefix[i])) {
      const std::size_t end = end_of_digits(line, at);
      if (end == at) break;
      at = end;
      i = end_of_digits(prefix, i);
      ++marks;
    } else if (prefix[i] == ' ' && is_before_number(prefix, i)) {
      // Numbers are set flush right: one with a digit more has a space less before it.
      while (prefix[i] == ' ') ++i;
      while (at < line.size() && line[at] == ' ') ++at;
    } else {
      // grep has "12:" before a line that it was asked for, and "13-" before those around it.
      const bool same = at < line.size() && (line[at] == prefix[i] || (prefix[i] == ':' && line[at] == '-'));
      if (!same) break;
      marks += prefix[i] == ' ' ? 0 : 1;
      ++at;
      ++i;
    }
  }
  return out;
}

// Of ECMA-48: ESC[ with its parameters and a letter, ESC] and its like with a text up to BEL or ESC and a backslash, the sets of characters
// that tput resets, and the modes of the keypad and the cursor, which shells set. 0: it is none, or has no end.
std::size_t length_of_mark(std::string_view text) {
  const char kind = text.size() > 1 ? text[1] : '\0';
  if (kind == '[') {
    const std::size_t end = text.find_first_not_of("0123456789:;<=>? !\"#$%&'()*+,-./", 2);
    return end != std::string_view::npos && text[end] >= '@' && text[end] <= '~' ? end + 1 : 0;
  }
  if (std::string_view("]P_^X").contains(kind)) {
    const std::size_t end = text.find_first_of("\x07\x1b", 2);
    if (end == std::string_view::npos) return 0;
    if (text[end] == '\x07') return end + 1;
    return text.substr(end + 1, 1) == "\\" ? end + 2 : 0;
  }
  if (std::string_view("=>78").contains(kind)) return 2;
  const bool is_set = text.size() > 2 && (kind == '(' || kind == ')');
  return is_set && std::string_view("AB012").contains(text[2]) ? 3 : 0;
}

// "[32m" and what shows its escape. 0: the text does not begin with it.
std::size_t length_of_shown_colour(std::string_view text, std::string_view escape) {
  if (!text.starts_with(escape)) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", escape.size());
  const bool is_one = end != std::string_view::npos && text[end] == 'm' && end > escape.size();
  return is_one ? end + 1 : 0;
}

// "\u001b[" is JSON's, and is read with the string that it stands in.
bool is_of_longer_escape(std::string_view before, std::string_view escape) {
  return escape == "[" && !before.empty() && is_alphanumeric(before.back());
}

// Where a record begins right behind such a colour; npos: none does.
std::size_t behind_shown_colour(std::string_view line, std::string_view escape) {
  for (std::size_t at = line.find(escape); at != std::string_view::npos; at = line.find(escape, at + 1))
    if (const std::size_t length = length_of_shown_colour(line.substr(at), escape);
        length > 0 && !is_of_longer_escape(line.substr(0, at), escape) &&
        flow::begins_klog_record(line.substr(at + length)))
      return at + length;
  return std::string_view::npos;
}

// Programs show an escape by other characters, and a copy may have lost it. A value may have such text, too, so only what stands before
// a record, and at the line's end, is a tool's.
std::string_view without_shown_colours(std::string_view line, std::string& buffer) {
  constexpr auto kEscapes = std::to_array<std::string_view>(
      {"^[[", "ESC[", R"(\x1b[)", R"(\x1B[)", R"(\033[)", "#033[", R"(\e[)", "\xe2\x90\x9b[", "["});
  if (flow::begins_klog_record(line)) return line;  // what follows is its own text
  for (const std::string_view escape : kEscapes) {
    const std::size_t record = behind_shown_colour(line, escape);
    if (record == std::string_view::npos) continue;
    buffer.clear();
    for (std::size_t at = 0; at < record;) {
      const std::size_t length = length_of_shown_colour(line.substr(at), escape);
      if (length == 0) buffer += line[at];
      at += std::max<std::size_t>(length, 1);
    }
    std::string_view text = line.substr(record);
    for (std::size_t at = text.rfind(escape); at != std::string_view::npos; at = text.rfind(escape)) {
      if (at + length_of_shown_colour(text.substr(at), escape) != text.size()) break;
      text = text.substr(0, at);
    }
    return buffer.append(text);
  }
  return line;
}

bool is_letter_of_name(char c) {
  return is_lower(c) || is_upper(c);
}

bool is_of_hostname(char c) {
  return is_alphanumeric(c) || std::string_view("-._").contains(c);
}

std::size_t digits_from(std::string_view text, std::size_t at) {
  return end_of_digits(text, at) - at;
}

// "2026-11-26", "2026.11.26" or "20261126", as in the name of a file or an index. 0: it is none.
std::size_t length_of_date(std::string_view text) {
  constexpr std::string_view kCentury = "20";
  const std::size_t digits = digits_from(text, 0);
  if (!text.starts_with(kCentury)) return 0;
  if (digits == 8) return digits;
  const bool divided =
      digits == 4 && text.size() > 9 && (text[4] == '-' || text[4] == '.') && text[7] == text[4];
  return divided && digits_from(text, 5) == 2 && digits_from(text, 8) == 2 ? 10 : 0;
}

// An address of IPv4, which counts as a name. 0: it is none.
std::size_t length_of_address(std::string_view text) {
  std::size_t at = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !text.substr(at).starts_with('.')) return 0;
    at += part > 0 ? 1 : 0;
    const std::size_t digits = digits_from(text, at);
    if (digits == 0 || digits > 3) return 0;
    at += digits;
  }
  return text.substr(at).starts_with('.') ? 0 : at;
}

// Pods, containers and machines are numbered: "scheduler-0". The lines around those that grep was asked for are, too:
// "scheduler.log-12-". The number stands from `at` to `end`.
bool is_number_of_name(std::string_view prefix, std::size_t at, std::size_t end) {
  if (at == 0 || (prefix[at - 1] != '-' && prefix[at - 1] != '_')) return false;
  std::size_t begin = at - 1;
  while (begin > 0 && is_of_hostname(prefix[begin - 1])) --begin;
  const std::string_view name = prefix.substr(begin, at - 1 - begin);
  const auto two_letters = [](char one, char other) {
    return is_letter_of_name(one) && is_letter_of_name(other);
  };
  if (std::ranges::adjacent_find(name, two_letters) == name.end()) return false;
  if (!prefix.substr(end).starts_with('-')) return true;
  const std::string_view last = name.substr(std::min(name.rfind('.'), name.size()));
  const bool is_file = last.size() > 1 && std::ranges::all_of(last.substr(1), is_letter_of_name);
  return !is_file && end + 1 < prefix.size() && is_alphanumeric(prefix[end + 1]);
}

// The name of a month or a day of the week, as a word of its own, is a part of a time. 0: it is none.
std::size_t length_of_day(std::string_view prefix, std::size_t at) {
  const std::string_view name = prefix.substr(at, 3);
  const bool begins = at == 0 || !is_letter_of_name(prefix[at - 1]);
  const bool ends = at + 3 >= prefix.size() || !is_letter_of_name(prefix[at + 3]);
  return begins && ends && is_name_of_time(name) ? name.size() : 0;
}

std::string without_tags(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('<'), text.size());
    out += text.substr(0, open);
    text.remove_prefix(open);
    const std::size_t name = text.starts_with("</") ? 2 : 1;
    const std::size_t close = text.find('>');
    const bool is_tag = close != std::string_view::npos && name < text.size() &&
                        (is_lower(text[name]) || is_upper(text[name]));
    out += text.substr(0, is_tag ? 0 : 1);
    text.remove_prefix(is_tag ? close + 1 : std::min<std::size_t>(1, text.size()));
  }
  return out;
}

}  // namespace

std::string source_of(std::string_view prefix) {
  // An archive has the file's own name and zeros before its first line, and a page has its tags.
  prefix.remove_prefix(prefix.rfind('\0') + 1);  // npos + 1 is 0
  const std::string shown = without_tags(prefix.substr(0, kTelling));
  prefix = shown;
  // Quotes and marks of a chat's or a terminal's, which may stand before the first line only.
  if (std::ranges::none_of(prefix, is_alphanumeric)) return {};
  // CSV sets only those rows in quotes that need them.
  prefix.remove_prefix(prefix.starts_with('"') ? 1 : 0);
  std::string out;
  for (std::size_t at = 0; at < prefix.size();) {
    const bool in_word = at > 0 && is_alphanumeric(prefix[at - 1]) && !is_of_a_time(prefix[at - 1]);
    const bool begins = at == 0 || !is_of_hostname(prefix[at - 1]);
    if (const std::size_t address = begins ? length_of_address(prefix.substr(at)) : 0; address > 0) {
      out += prefix.substr(at, address);
      at += address;
      continue;
    }
    if (const std::size_t time = std::max(length_of_day(prefix, at), length_of_tai64(prefix.substr(at)));
        time > 0) {
      at += time;
      continue;
    }
    const std::size_t end = at + std::max(length_of_date(prefix.substr(at)), digits_from(prefix, at));
    const bool ends = end == prefix.size() || !is_alphanumeric(prefix[end]) || is_of_a_time(prefix[end]);
    if (end > at && !in_word && ends &&
        (length_of_date(prefix.substr(at)) > 0 || !is_number_of_name(prefix, at, end))) {
      // Numbers are set flush right.
      out.resize(out.find_last_not_of(' ') + 1);  // npos + 1 is 0
      // grep has "12-" and "kube.log-12-" before the lines around those that it was asked for.
      if (out.ends_with('-')) out.back() = ':';
      out += '0';
      at = end;
      if (prefix.substr(at).starts_with('-')) {
        out += ':';
        ++at;
      }
    } else {
      const std::size_t next = std::max(end, at + 1);
      out += prefix.substr(at, next - at);
      at = next;
    }
  }
  return out;
}

bool begins_alike(std::string_view prefix, std::string_view line) {
  constexpr std::size_t kFew = 2;  // a number and a sign: a text may begin with a number, too
  const std::size_t all = alike(prefix, prefix).marks;
  const std::size_t same = alike(prefix, line).marks;
  return all > 0 && (all > kFew ? 2 * same >= all : same == all);
}

std::optional<std::size_t> end_of_prefix(std::string_view prefix, std::string_view line) {
  const Alike found = alike(prefix, line);
  return found.in_prefix == prefix.size() ? std::optional(found.in_line) : std::nullopt;
}

std::optional<std::size_t> end_of_own_prefix(std::string_view prefix, std::string_view source,
                                             std::string_view line) {
  const auto end = end_of_prefix(prefix, line);
  return end && source_of(line.substr(0, *end)) == source ? end : std::nullopt;
}

bool is_of_a_part(std::string_view prefix) {
  return prefix.ends_with(" stderr P ") || prefix.ends_with(" stdout P ");
}

std::string_view without_colours(std::string_view line, std::string& buffer) {
  return line.contains(kEscape) ? without_terminal_marks(line, buffer) : without_shown_colours(line, buffer);
}

std::string_view without_terminal_marks(std::string_view line, std::string& buffer) {
  if (!line.contains(kEscape)) return line;
  buffer.clear();
  while (!line.empty()) {
    const std::size_t escape = std::min(line.find(kEscape), line.size());
    buffer.append(line.substr(0, escape));
    line.remove_prefix(escape);
    if (line.empty()) break;
    const std::size_t length = length_of_mark(line);
    if (length == 0) buffer += kEscape;
    line.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return buffer;
}

}  // namespace flowtap::cli
