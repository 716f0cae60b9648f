// Reads small files (sysfs, procfs, config) as one bounded string, and writes text to the end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap {

/// The whole file, at most `limit` bytes; a longer one is an error, since half a file would be a wrong value.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t limit = 1U << 20U);

/// Like read_file, without white space at the end, as most sysfs attributes need it.
[[nodiscard]] Result<std::string> read_line(const std::string& path);

/// Writes all bytes to a descriptor that blocks. `path` is what an error calls the file.
[[nodiscard]] Status write_all(int fd, std::string_view bytes, const std::string& path);

}  // namespace flowtap
