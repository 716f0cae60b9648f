// The names that exports give to the field that has a log's line.
#pragma once

#include <cstddef>
#include <string_view>

namespace flowtap::cli {

/// Of "message: " at the beginning of a line, without the space. 0: the line begins with no field's name and a colon.
[[nodiscard]] std::size_t length_of_field_name(std::string_view line);

/// Any other word before a colon may be a program that tells what it has seen.
[[nodiscard]] bool is_field_of_lines(std::string_view name);

/// Where such a name begins that the text ends with; npos: it ends with none. A page may set a record right behind it.
[[nodiscard]] std::size_t place_of_field_of_lines(std::string_view text);

/// Whether the text is a row's fields, each with its name, up to the name of the one that has a log's line: "@timestamp:Nov 26 message:",
/// or "Host: cp1 | Message: ".
[[nodiscard]] bool ends_row_of_fields(std::string_view text);

}  // namespace flowtap::cli
