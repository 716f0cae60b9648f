// Exports in JSON may be one line, whose strings are the lines of a log.
#pragma once

#include <string_view>
#include <vector>

namespace flowtap::cli {

/// The line in pieces, each of which ends with the next line of a log and what closes the object around it. All of them together
/// are the line. A line that is no JSON, or has one line of a log, is one piece.
[[nodiscard]] std::vector<std::string_view> pieces_of(std::string_view line);

}  // namespace flowtap::cli
