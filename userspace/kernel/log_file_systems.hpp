// Which file systems' writes each backend sees.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::kernel {

/// The hook that a write to a file of this file system comes to with fexit; empty: none.
/// @param magic  statfs::f_type
[[nodiscard]] std::string_view file_hook(long magic);

/// The Error (ENOTSUP) that a file is told that no hook sees.
[[nodiscard]] std::unexpected<Error> unseen_file(const std::string& path, long magic);

}  // namespace flowtap::kernel
