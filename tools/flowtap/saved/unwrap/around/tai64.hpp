// Labels of TAI64 and TAI64N, which daemontools, runit and s6 put before each line: '@' and 16 or 24 hexadecimal digits
// (https://cr.yp.to/libtai/tai64.html).
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ascii.hpp"

namespace flowtap::cli {

/// How long the label is with which the text begins; 0: it begins with none.
[[nodiscard]] constexpr std::size_t length_of_tai64(std::string_view text) {
  constexpr std::size_t kSeconds = 16;
  constexpr std::size_t kNanoseconds = 8;
  if (!text.starts_with("@4")) return 0;
  const auto* const end = std::ranges::find_if_not(text.substr(1), is_lower_hex);
  const auto digits = static_cast<std::size_t>(end - text.begin()) - 1;
  if (digits != kSeconds && digits != kSeconds + kNanoseconds) return 0;
  return end != text.end() && is_alphanumeric(*end) ? 0 : 1 + digits;
}

/// The time of a label in ns since 1970. Seconds are counted as daemontools does, 10 ahead of those of UTC, and not as TAI, which is
/// 37 ahead since 2017: that is near enough to tell a year and a zone.
[[nodiscard]] inline std::optional<std::uint64_t> time_of_tai64(std::string_view label) {
  constexpr std::uint64_t kEpoch = (std::uint64_t{1} << 62U) + 10;
  constexpr std::uint64_t kLast = std::uint64_t{1} << 33U;  // in the year 2242
  constexpr std::uint64_t kSecond = 1'000'000'000;
  std::uint64_t seconds = 0;
  std::uint64_t ns = 0;
  const std::string_view fraction = label.substr(17);
  std::from_chars(label.data() + 1, label.data() + 17, seconds, 16);
  std::from_chars(fraction.data(), fraction.data() + fraction.size(), ns, 16);
  if (seconds < kEpoch || seconds - kEpoch > kLast || ns >= kSecond) return std::nullopt;
  return (seconds - kEpoch) * kSecond + ns;
}

}  // namespace flowtap::cli
