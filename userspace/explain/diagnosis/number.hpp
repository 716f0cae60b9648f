// A number in a log's words.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace flowtap::diagnosis {

/// Nothing: the text, or a part of it, is not a number.
template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace flowtap::diagnosis
