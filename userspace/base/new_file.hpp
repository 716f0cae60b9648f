// Files where people may have removed the directory meanwhile: a directory is no more than what is in it, and is made again.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::flow {

/// Makes a directory, and those above it that are missing.
[[nodiscard]] Status make_dirs(const std::string& path);

/// open(2) of a file that is to be created. Where its directory is missing that is made first.
[[nodiscard]] Result<Fd> open_new(const std::string& path, int flags, mode_t mode);

}  // namespace flowtap::flow
