// Hierarchies of cgroups of the node as directories.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "identity/root_dir.hpp"

namespace flowtap::identity {

/// The directory where `host_root` has that of v2, also beside hierarchies of v1; empty where it is not seen.
[[nodiscard]] std::string cgroup2_place(const std::string& host_root);
/// The same, open; absent where it is not seen.
[[nodiscard]] std::optional<RootDir> open_cgroup2(const std::string& host_root);

/// Calls `see` for each cgroup, from the one on top ("/") down: the inode number of its directory, which is the cgroup's id,
/// and its path. One that goes meanwhile is passed by. At most kMostCgroups.
[[nodiscard]] Status walk_cgroups(const RootDir& top,
                                  const std::function<void(std::uint64_t id, std::string path)>& see);

inline constexpr std::size_t kMostCgroups = 100'000;

}  // namespace flowtap::identity
