// Records that stand in one line, since what was between them is lost: the last newline of a file that another was put behind, the
// rest of a line that was cut, or newlines that a tool has made spaces.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace flowtap::cli {

/// A record that does not take all of its line.
struct JoinedRecord {
  std::string_view text;
  std::size_t next = 0;  ///< where the next one begins
};

/// The first record of a line that begins with one. Nothing: it has no other. A header in a value, or in a sentence, is what the
/// record says.
[[nodiscard]] std::optional<JoinedRecord> first_of_joined(std::string_view line);

}  // namespace flowtap::cli
