// Reads a log that somebody has saved in a file: as the program wrote it, or as a container runtime keeps it, gzipped or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "stream/repair/runtime_files/runtime_line_parser.hpp"

namespace flowtap::flow {

/// What became of the reading.
struct SavedLog {
  std::uint64_t bytes = 0;      ///< that were read, after unzipping
  std::uint64_t skipped = 0;    ///< lines that are not of the runtime's format, in such a file
  std::optional<Error> broken;  ///< why it was not read to its end
};

/// Reads `fd` from where it stands to its end; a pipe will do. The file's content tells what it is. `take(output, bytes, time)`
/// gets bytes, the output that they were written to ("stdout", "stderr", or "" if that is not known), and when, in ns since 1970
/// (0 if that is not known). It holds a block and a line, whatever the file holds. Errors call the file `name`.
[[nodiscard]] SavedLog read_saved_log(
    int fd, const std::string& name,
    const std::function<void(std::string_view output, std::string_view bytes, std::uint64_t time)>& take);

/// The format of a file with this beginning. Nothing: it is as the program wrote it, or a screen has broken its lines, and what a line was
/// does not show here. A part of a log may begin within a line.
[[nodiscard]] std::optional<RuntimeFormat> saved_format(std::string_view begin);

}  // namespace flowtap::flow
