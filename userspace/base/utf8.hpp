// Characters as UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flowtap {

/// Appends a character of Unicode. Half a surrogate pair, which is none, becomes U+FFFD.
inline void append_utf8(std::string& out, std::uint32_t c) {
  if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd;
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((c >> shift) & 0x3fU)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0U | (c >> 6U));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0U | (c >> 12U));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0U | (c >> 18U));
    tail(12), tail(6), tail(0);
  }
}

/// Whether a byte goes on with a character that began before it.
[[nodiscard]] constexpr bool is_inside_utf8(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}
/// The characters of a text.
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_inside_utf8));
}

[[nodiscard]] constexpr bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}
[[nodiscard]] constexpr bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
/// The character that UTF-16 divides into these two.
[[nodiscard]] constexpr std::uint32_t joined_surrogates(std::uint32_t high, std::uint32_t low) {
  return 0x10000 + ((high - 0xd800) << 10U) + (low - 0xdc00);
}

}  // namespace flowtap
