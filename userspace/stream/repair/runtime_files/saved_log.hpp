// A log that somebody has saved in a file: as the program wrote it, or as a container runtime keeps it, gzipped or not.
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

/// What became of it.
struct SavedLog {
  std::uint64_t bytes = 0;      ///< that were read, unzipped
  std::uint64_t skipped = 0;    ///< lines that are none of the runtime's format, in a file of one
  std::optional<Error> broken;  ///< why it was not read to its end
};

/// Reads `fd` from where it stands to its end; a pipe will do. What the file is, is told by what it holds. `take(output, bytes, time)`
/// gets what was written to an output, "stdout" or "stderr", or where that is not known ""; and when, in ns since 1970, 0 where that is
/// not known. Holds a block and a line, whatever the file
/// holds. `name` is what errors call it.
[[nodiscard]] SavedLog read_saved_log(
    int fd, const std::string& name,
    const std::function<void(std::string_view output, std::string_view bytes, std::uint64_t time)>& take);

/// Of a file that begins so. Nothing: it is as the program wrote it. A part of a log may begin within a line.
[[nodiscard]] std::optional<RuntimeFormat> saved_format(std::string_view begin);

}  // namespace flowtap::flow
