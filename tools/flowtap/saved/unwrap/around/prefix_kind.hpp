// Whether what stands before a record was put there by a tool, or is a sentence of another program that quotes the record.
#pragma once

#include <cstdint>
#include <string_view>

namespace flowtap::cli {

enum class PrefixKind : std::uint8_t {
  kTools,    ///< times, numbers, names, brackets and fields
  kDoubted,  ///< one word or two that may also be a sentence: "scheduler: ", "saw: "
  kProse     ///< a sentence, or a message of another program
};

/// Whether a word is a month's or a day's short name.
[[nodiscard]] bool is_name_of_time(std::string_view word);

/// The kind of the text before a record, or before the quote that opens it.
[[nodiscard]] PrefixKind prefix_kind(std::string_view text);

}  // namespace flowtap::cli
