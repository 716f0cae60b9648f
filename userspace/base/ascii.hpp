// Kinds of ASCII characters. <cctype>'s functions depend on the locale, and a negative char is undefined for them.
#pragma once

#include <cstddef>
#include <string_view>

namespace flowtap {

constexpr bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || is_lower(c) || is_upper(c);
}

/// A hexadecimal digit as identifiers have it: no capital letters.
constexpr bool is_lower_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

constexpr char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Where one of these characters stands first, from `at` on; npos: none does. find_first_of() of libstdc++ calls memchr() for each
/// character that it passes, which takes longer than to compare it with a few.
template <char... Any>
constexpr std::size_t find_any(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at)
    if (((text[at] == Any) || ...)) return at;
  return std::string_view::npos;
}

}  // namespace flowtap
