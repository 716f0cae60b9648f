// Patterns of texts with places: "<count> nodes <reason>(<nodes>)". A place takes what stands before the text that follows it in
// the pattern, and the last one takes all that is left. "<>" takes anything, "<count>" only digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/ascii.hpp"

namespace flowtap::diagnosis {

/// Whether all of the text matches the pattern. `take(name, taken)` is called for each place that was passed, and so also if the
/// text turns out not to match.
template <typename Take>
bool matches(std::string_view pattern, std::string_view text, Take&& take) {
  while (!pattern.empty()) {
    if (pattern.front() != '<') {
      if (text.empty() || text.front() != pattern.front()) return false;
      pattern.remove_prefix(1);
      text.remove_prefix(1);
      continue;
    }
    const std::size_t close = pattern.find('>');
    if (close == std::string_view::npos) return false;
    const std::string_view name = pattern.substr(1, close - 1);
    pattern.remove_prefix(close + 1);
    const std::string_view follows = pattern.substr(0, pattern.find('<'));
    const std::size_t end = follows.empty() ? text.size() : text.find(follows);
    if (end == std::string_view::npos) return false;
    const std::string_view taken = text.substr(0, end);
    if (name == "count" && (taken.empty() || !std::ranges::all_of(taken, is_digit))) return false;
    take(name, taken);
    text.remove_prefix(end);
  }
  return text.empty();
}

}  // namespace flowtap::diagnosis
