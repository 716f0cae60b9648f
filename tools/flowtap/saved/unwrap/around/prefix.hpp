// What tools put before each line of a log: a time, a number, a pod's name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::cli {

/// The part of a prefix by which its log is known. Times and numbers are left out, because they change from line to
/// line, but the numbers in a name are kept: "scheduler-0", "10.0.0.1".
[[nodiscard]] std::string source_of(std::string_view prefix);

/// Whether a line begins so much like a prefix that the same tool has put it there, before another program's line. One of which little
/// can be the same, such as a number and a colon, has to be whole.
[[nodiscard]] bool begins_alike(std::string_view prefix, std::string_view line);

/// Where the text begins in a line that begins like another one's prefix, but for its numbers. Nothing: it does not.
[[nodiscard]] std::optional<std::size_t> end_of_prefix(std::string_view prefix, std::string_view line);

/// The same for a line of the same log, the source of which is `source`.
[[nodiscard]] std::optional<std::size_t> end_of_own_prefix(std::string_view prefix, std::string_view source,
                                                           std::string_view line);

/// Whether the prefix is a container runtime's that says that the line goes on: "TIME stderr P ".
[[nodiscard]] bool is_of_a_part(std::string_view prefix);

/// The line without what only a terminal reads: the escape and what belongs to it. It is put into `buffer` if it has any.
[[nodiscard]] std::string_view without_terminal_marks(std::string_view line, std::string& buffer);

/// The same of colours whose escape is shown by other characters, too, or was lost.
[[nodiscard]] std::string_view without_colours(std::string_view line, std::string& buffer);

}  // namespace flowtap::cli
