// Which file systems' writes each backend sees.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::kernel {

/// Which hooks of the fexit backend exist.
using HasHook = std::function<bool(std::string_view hook)>;

/// Whether writes to files of this file system come to one of these hooks.
/// @param magic  statfs::f_type
[[nodiscard]] bool sees_file_system(long magic, const HasHook& has_hook);

/// The magic numbers of all file systems whose writes do; at most FTAP_MAX_FILE_SYSTEMS.
[[nodiscard]] std::vector<std::uint32_t> seen_file_systems(const HasHook& has_hook);

/// The Error (ENOTSUP) for a file that no hook sees.
[[nodiscard]] std::unexpected<Error> unseen_file(const std::string& path, long magic);

}  // namespace flowtap::kernel
