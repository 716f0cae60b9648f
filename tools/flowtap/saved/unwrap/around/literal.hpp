// What stands around a string in a list, a tuple or an object as programs write it in one line: Python's repr(), JavaScript, or SQL's
// VALUES (1,'...'), (2,'...').
#pragma once

#include <string_view>

namespace flowtap::cli {

/// Whether the text is nothing but brackets, separators, numbers, names of members and strings that have ended. The quote that opens
/// the next string, with the letter of its kind, may be its end.
[[nodiscard]] bool is_of_literal(std::string_view text);

/// The last separator and what is behind it, if that only opens a string: what tells nothing of the string. Else nothing.
[[nodiscard]] std::string_view opening_of_string(std::string_view text);

}  // namespace flowtap::cli
