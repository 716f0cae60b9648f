// Reasons of a node as HAMi writes them: "2/8 CardInsufficientMemory, 6/8 CardTypeMismatch". Each is how many of the node's cards
// of the kind; they are sorted as strings, and need not add up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::diagnosis {

constexpr std::string_view kBetweenReasons = ", ";

/// Calls take(reason) for each of a list's, with its count if it has one; for none where there is no text.
template <typename Take>
void each_reason(std::string_view list, Take&& take) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(kBetweenReasons), list.size());
    take(list.substr(0, end));
    list.remove_prefix(std::min(end + kBetweenReasons.size(), list.size()));
  }
}

/// "2/8 CardInsufficientMemory" without how many cards it is, "3 NodeInsufficientDevice" without how many nodes.
[[nodiscard]] std::string_view without_counts(std::string_view reason);

/// How many cards "2/8 CardInsufficientMemory" is of; 0 where it has no count.
[[nodiscard]] std::size_t cards_in(std::string_view reason);

/// Sorted where it is such a list, which up to 2.9 came in any order; any other text as it is. 2.7.0's "node:NODE resaon:" before it
/// is taken away.
[[nodiscard]] std::string sorted_reason(std::string_view reason);

/// A list without counts that has the reason, too.
[[nodiscard]] std::string with_reason(std::string_view list, std::string_view reason);

/// Of the reason of each card that failed, on a node with so many cards; without counts where nobody knows how many.
[[nodiscard]] std::string counted_reasons(const std::vector<std::string_view>& reasons, std::size_t cards);

}  // namespace flowtap::diagnosis
