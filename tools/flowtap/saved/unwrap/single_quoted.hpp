// A text in single quotes: YAML and SQL double those within, Python writes a backslash before them and before its own, and others let
// them stand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flowtap::cli {

/// Where the quote stands that ends the text: the line's last one, or the first one that a list or an object goes on behind. The
/// line's end if there is none. `text` begins behind the first quote.
[[nodiscard]] std::size_t end_of_single_quoted(std::string_view text);

/// The text as it was before it was quoted. It is put into `buffer` if it differs.
[[nodiscard]] std::string_view single_quoted(std::string_view text, std::string& buffer);

}  // namespace flowtap::cli
