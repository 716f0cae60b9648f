// Text of drivers as a label's value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// Up to 96 characters of printable ASCII, without spaces at the ends; all other bytes become '_'.
[[nodiscard]] inline std::string printable_label(std::string_view text) {
  constexpr std::size_t kMost = 96;
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  std::string label(text.substr(0, kMost));
  for (char& c : label)
    if (c < ' ' || c > '~') c = '_';
  return label;
}

}  // namespace flowtap::telemetry
