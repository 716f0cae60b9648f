// The names in a directory.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

/// A procfs can list at most this many processes (PID_MAX_LIMIT, linux/threads.h), so no process has a higher number.
inline constexpr std::size_t kMostPids = std::size_t{1} << 22U;

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

/// A stream that owns the descriptor from now on. Null with errno set if there can be none; the descriptor is closed then.
[[nodiscard]] DirectoryStream directory_stream(Fd directory);

/// All names but "." and "..". More than `most` are an error, since part of a list misleads. `what` is what an error
/// calls the directory.
[[nodiscard]] Result<std::vector<std::string>> directory_names(Fd directory, std::size_t most,
                                                               const std::string& what);

}  // namespace flowtap
