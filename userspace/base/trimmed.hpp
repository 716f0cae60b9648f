// Text without the space around it.
#pragma once

#include <algorithm>
#include <string_view>

namespace flowtap {

/// Without the characters of `space` at both ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text, std::string_view space = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  return text.substr(0, text.find_last_not_of(space) + 1);
}

}  // namespace flowtap
