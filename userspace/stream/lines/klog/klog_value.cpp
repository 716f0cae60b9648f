// The values of klog's pairs as the program had them: Go's strconv.Quote, JSON's strings, and indented blocks.
#include <charconv>
#include <optional>
#include <utility>

#include "base/utf8.hpp"
#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::flow {
namespace {

// Takes a number of this many hexadecimal digits from the start of the text.
std::optional<std::uint32_t> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  const std::string_view number = text.substr(0, digits);
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value, 16);
  if (error != std::errc{} || stop != number.data() + number.size()) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

// JSON writes a character above U+FFFF as two escapes.
std::uint32_t join_surrogates(std::uint32_t high, std::string_view& text) {
  if (!is_high_surrogate(high) || !text.starts_with("\\u")) return high;
  std::string_view rest = text.substr(2);
  const auto low = take_number(rest, 4);
  if (!low || !is_low_surrogate(*low)) return high;
  text = rest;
  return joined_surrogates(high, *low);
}

std::size_t digits_behind(char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return 0;
  }
}

// Takes what is behind a backslash; false: nothing known.
bool take_escape(std::string_view& text, std::string& out) {
  constexpr std::string_view kLetters = "abfnrtv\\\"'/";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\\"'/";
  const char letter = text.front();
  std::string_view rest = text.substr(1);
  if (const auto at = kLetters.find(letter); at != std::string_view::npos) {
    out += kMeanings[at];
  } else {
    const std::size_t digits = digits_behind(letter);
    const auto number = digits == 0 ? std::nullopt : take_number(rest, digits);
    if (!number || *number > 0x10ffff) return false;
    if (letter == 'x')
      out += static_cast<char>(*number);
    else
      append_utf8(out, join_surrogates(*number, rest));
  }
  text = rest;
  return true;
}

void unquote(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t slash = text.find('\\');
    out.append(text.substr(0, slash));
    if (slash == std::string_view::npos) break;
    text.remove_prefix(slash + 1);
    if (text.empty() || !take_escape(text, out)) out += '\\';
  }
}

// The text does not tell whether the value ended with a newline; it is assumed to.
void unindent(std::string_view text, std::string& out) {
  while (!text.empty()) {
    if (text.front() == '\t') text.remove_prefix(1);
    const std::size_t newline = text.find('\n');
    out.append(text.substr(0, newline == std::string_view::npos ? newline : newline + 1));
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
}

}  // namespace

std::string_view klog_text(const KlogPair& pair, std::string& buffer) {
  switch (pair.kind) {
    case KlogPair::Kind::kQuoted:
    case KlogPair::Kind::kString:
    case KlogPair::Kind::kCut:
      if (!pair.value.contains('\\')) return pair.value;
      buffer.clear();
      unquote(pair.value, buffer);
      return buffer;
    case KlogPair::Kind::kBlock:
      buffer.clear();
      unindent(pair.value, buffer);
      return buffer;
    case KlogPair::Kind::kJson:
    case KlogPair::Kind::kUnquoted:
      break;
  }
  return pair.value;
}

std::string klog_value(const KlogPair& pair) {
  std::string buffer;
  const std::string_view text = klog_text(pair, buffer);
  return text.data() == buffer.data() ? std::move(buffer) : std::string(text);
}

std::optional<KlogObject> klog_object(const KlogPair& pair) {
  KlogObject found;
  if (pair.kind == KlogPair::Kind::kQuoted || pair.kind == KlogPair::Kind::kString) {
    const std::size_t slash = pair.value.find('/');
    if (slash != std::string_view::npos) found.ns = pair.value.substr(0, slash);
    found.name = pair.value.substr(slash == std::string_view::npos ? 0 : slash + 1);
    return found;
  }
  if (pair.kind != KlogPair::Kind::kJson || !pair.value.starts_with('{')) return std::nullopt;
  KlogPairs members = KlogPairs::of_object(pair.value);
  for (KlogPair member; members.next(member);) {
    if (member.kind != KlogPair::Kind::kString) continue;
    if (member.key == "name") found.name = member.value;
    if (member.key == "namespace") found.ns = member.value;
  }
  return found;
}

}  // namespace flowtap::flow
