// Text from outside, made safe to show: on a terminal, in a log line, in an error message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace flowtap {

namespace detail {

/// Length of the well-formed UTF-8 sequence at the start of `text`, or 0. Overlong forms, surrogates and
/// everything above U+10FFFF are not well formed.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned b = byte(0);
  if (b < 0x80U) return text.empty() ? 0 : 1;
  if (b >= 0xC2U && b <= 0xDFU) return tail(1) ? 2 : 0;
  if (b >= 0xE0U && b <= 0xEFU) {
    if ((b == 0xE0U && byte(1) < 0xA0U) || (b == 0xEDU && byte(1) > 0x9FU)) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (b >= 0xF0U && b <= 0xF4U) {
    if ((b == 0xF0U && byte(1) < 0x90U) || (b == 0xF4U && byte(1) > 0x8FU)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

/// Characters that steer a terminal instead of showing something: C0, DEL, C1, the line and paragraph
/// separators and the marks that turn the writing direction (with which a text can be made to read as
/// another).
inline bool steers(std::string_view character) {
  const auto byte = [character](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20U || byte(0) == 0x7FU;
  if (character.size() == 2) return byte(0) == 0xC2U && byte(1) < 0xA0U;
  if (character.size() != 3 || byte(0) != 0xE2U) return false;
  if (byte(1) == 0x80U) return byte(2) == 0x8EU || byte(2) == 0x8FU || (byte(2) >= 0xA8U && byte(2) <= 0xAEU);
  return byte(1) == 0x81U && byte(2) >= 0xA6U && byte(2) <= 0xA9U;
}

inline void append_escaped(std::string& out, std::string_view bytes) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else
      (out += "\\x") += {kHex[b >> 4U], kHex[b & 0xFU]};
  }
}

}  // namespace detail

/// `text`, in which everything that would steer a terminal or is not UTF-8 is escaped: "\x1b[2J" becomes "\\x1b[2J".
/// Control characters of `but` stay as they are.
[[nodiscard]] inline std::string printable(std::string_view text, std::string_view but = {}) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t n = detail::utf8_length(text);
    const std::string_view character = text.substr(0, n > 0 ? n : 1);
    const bool kept = character.size() == 1 && but.contains(character.front());
    if (n == 0 || (detail::steers(character) && !kept))
      detail::append_escaped(out, character);
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

/// `text` as it is, except for bytes that are not UTF-8. JSON cannot hold these, so they are escaped as printable()
/// does.
[[nodiscard]] inline std::string utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    // What is ASCII, which is all of most texts, is copied at once.
    const auto ascii = static_cast<std::size_t>(std::ranges::find_if_not(text, is_ascii) - text.begin());
    const std::size_t n = ascii > 0 ? ascii : detail::utf8_length(text);
    if (n > 0)
      out += text.substr(0, n);
    else
      out += printable(text.substr(0, 1));
    text.remove_prefix(n > 0 ? n : 1);
  }
  return out;
}

/// The number of bytes at the end of `text` that begin a UTF-8 sequence whose rest may still come: 0 to 3.
[[nodiscard]] inline std::size_t unfinished_utf8(std::string_view text) {
  for (std::size_t n = 1; n <= 3 && n <= text.size(); ++n) {
    const auto first = static_cast<unsigned char>(text[text.size() - n]);
    if ((first & 0xC0U) == 0x80U) continue;
    const std::size_t whole = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : first >= 0xC2U ? 2 : 1;
    return n < whole && first <= 0xF4U ? n : 0;
  }
  return 0;
}

/// The beginning of `text`, `most` bytes at most, which does not end within a character.
[[nodiscard]] inline std::string_view beginning_of(std::string_view text, std::size_t most) {
  std::string_view begin = text.substr(0, most);
  if (begin.size() < text.size()) begin.remove_suffix(unfinished_utf8(begin));
  return begin;
}

/// `text` in double quotes and cut after `limit` bytes: how a message shows a value that somebody gave.
[[nodiscard]] inline std::string in_quotes(std::string_view text, std::size_t limit = 80) {
  if (text.size() <= limit) return '"' + printable(text) + '"';
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  return '"' + printable(text.substr(0, limit)) + "...\"";
}

}  // namespace flowtap
