// Which file systems' writes each backend sees.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::kernel {

/// Which of fexit's hooks there are.
using HasHook = std::function<bool(std::string_view hook)>;

/// Whether writes to files of this file system come to one of these hooks.
/// @param magic  statfs::f_type
[[nodiscard]] bool sees_file_system(long magic, const HasHook& has_hook);

/// All whose writes do, by their magic numbers; at most FTAP_MAX_FILE_SYSTEMS.
[[nodiscard]] std::vector<std::uint32_t> seen_file_systems(const HasHook& has_hook);

/// The Error (ENOTSUP) that a file is told that no hook sees.
[[nodiscard]] std::unexpected<Error> unseen_file(const std::string& path, long magic);

}  // namespace flowtap::kernel
