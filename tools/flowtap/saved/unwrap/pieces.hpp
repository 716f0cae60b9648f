// Exports in JSON may be one line, whose strings are the lines of a log.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace flowtap::cli {

/// A line that is longer, in bytes, is divided. Exports of thousands of records are one line.
constexpr std::size_t kLongestWhole = std::size_t{8} << 20U;

/// The line in pieces, each of which ends with the next line of a log and what closes the object around it. All of them together
/// are the line. A line that is no JSON, or has one line of a log, is one piece.
[[nodiscard]] std::vector<std::string_view> pieces_of(std::string_view line);

/// Up to where a line that is too long may be read by itself: behind the last string in its second half, of a list or an object if
/// that is possible, or within a string that is a whole log behind its last newline there. All of it, if it has none of them.
[[nodiscard]] std::size_t dividing_place(std::string_view line);

}  // namespace flowtap::cli
