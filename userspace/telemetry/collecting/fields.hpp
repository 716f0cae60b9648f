// Text of the kernel's files, word by word.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flowtap::telemetry {

/// Takes the next line off the front, without its end; `text` is empty after the last.
inline std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// Takes the next word, which spaces or tabs end, off the front; empty where there is none.
inline std::string_view next_word(std::string_view& line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return line = {};
  const auto end = line.find_first_of(" \t", begin);
  const std::string_view word = line.substr(begin, end == std::string_view::npos ? end : end - begin);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end);
  return word;
}

/// The whole word as a number: digits only, no sign, and it fits.
inline std::optional<std::uint64_t> whole_number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), value);
  return ec == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// A number with a decimal point, as in /proc/loadavg and /proc/pressure; never negative or infinite.
inline std::optional<double> decimal(std::string_view word) {
  double value = 0;
  const auto [end, ec] =
      std::from_chars(word.data(), word.data() + word.size(), value, std::chars_format::fixed);
  const bool good = ec == std::errc{} && end == word.data() + word.size() && value >= 0 && value < 1e18;
  return good ? std::optional(value) : std::nullopt;
}

}  // namespace flowtap::telemetry
