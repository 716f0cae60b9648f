// The reasons of a node as HAMi writes them: "2/8 CardInsufficientMemory, 6/8 CardTypeMismatch". Each counts how many of the
// node's cards have it. They are sorted as strings, and need not add up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::diagnosis {

constexpr std::string_view kBetweenReasons = ", ";

/// Calls take(reason) for each reason of a list, with its count if it has one; for none if there is no text.
template <typename Take>
void each_reason(std::string_view list, Take&& take) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(kBetweenReasons), list.size());
    take(list.substr(0, end));
    list.remove_prefix(std::min(end + kBetweenReasons.size(), list.size()));
  }
}

/// "2/8 CardInsufficientMemory" without its count of cards, "3 NodeInsufficientDevice" without its count of nodes.
[[nodiscard]] std::string_view without_counts(std::string_view reason);

/// How many cards "2/8 CardInsufficientMemory" counts; 0 if there is no count.
[[nodiscard]] std::size_t cards_in(std::string_view reason);

/// Sorts the text if it is such a list, which up to 2.9 came in any order; any other text stays as it is. "node:NODE resaon:"
/// before it, as 2.7.0 writes, is taken away.
[[nodiscard]] std::string sorted_reason(std::string_view reason);

/// The list, which has no counts, with this reason added.
[[nodiscard]] std::string with_reason(std::string_view list, std::string_view reason);

/// Makes a list of the reasons of cards that failed, on a node with this many cards; without counts if nobody knows how many.
[[nodiscard]] std::string counted_reasons(const std::vector<std::string_view>& reasons, std::size_t cards);

}  // namespace flowtap::diagnosis
