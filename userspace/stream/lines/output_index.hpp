// The two outputs of a process, by their names in logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flowtap::flow {

/// The same as ==, for what is asked of each line several times: as it knows the length, the compiler compares the letters in place.
template <std::size_t N>
[[nodiscard]] constexpr bool is_word(std::string_view text, const char (&word)[N]) {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the size goes with it
  return text.size() == N - 1 && std::char_traits<char>::compare(text.data(), word, N - 1) == 0;
}

/// A number for each output: 0 is stdout, and 1 is stderr.
[[nodiscard]] constexpr std::size_t output_index(std::string_view output) {
  return is_word(output, "stderr") ? 1 : 0;
}

}  // namespace flowtap::flow
