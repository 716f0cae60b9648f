#pragma once

#include <cstddef>
#include <string_view>

namespace flowtap::test {

/// How often the text has this part.
[[nodiscard]] inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++n;
  return n;
}

}  // namespace flowtap::test
