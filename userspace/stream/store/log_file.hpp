// The files in which flows' logs stand: regular files, new or known, read and written to the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::flow {

struct LogFile {
  Fd fd;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
};

/// Nothing: it is not there, or is not a regular file. An Error does not say that it is gone: a file on a file system that has
/// become read-only is still there.
[[nodiscard]] Result<std::optional<LogFile>> open_log_file(const std::string& path, int access);

/// An empty file, in the place of whatever stands there.
[[nodiscard]] Result<LogFile> create_log_file(const std::string& path);

/// Reads at most this many bytes, as many as there are.
[[nodiscard]] Status read_log_file(const Fd& fd, std::uint64_t at, std::uint64_t size,
                                   const std::string& path, std::string& text);

/// After an Error any part of the bytes may stand there.
[[nodiscard]] Status write_log_file(const Fd& fd, std::uint64_t at, std::string& bytes,
                                    const std::string& path);

}  // namespace flowtap::flow
