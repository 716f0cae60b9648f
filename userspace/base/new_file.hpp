// Creates files whose directory may have been removed meanwhile; the directory is then made again.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::flow {

/// Makes a directory, and the missing ones above it.
[[nodiscard]] Status make_dirs(const std::string& path);

/// Creates a file with open(2). If its directory is missing, the directory is made first.
[[nodiscard]] Result<Fd> open_new(const std::string& path, int flags, mode_t mode);

}  // namespace flowtap::flow
