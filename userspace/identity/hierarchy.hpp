// The node's cgroup hierarchies as directories.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "identity/root_dir.hpp"

namespace flowtap::identity {

/// The directory where `host_root` has the v2 hierarchy, even beside v1 hierarchies; empty where it is not visible.
[[nodiscard]] std::string cgroup2_place(const std::string& host_root);
/// The same directory, open; absent where it is not visible.
[[nodiscard]] std::optional<RootDir> open_cgroup2(const std::string& host_root);

/// Calls `see` for each cgroup, from the top one ("/") down, with its id (the inode number of its directory) and its
/// path. A cgroup that goes meanwhile is skipped. At most kMostCgroups.
[[nodiscard]] Status walk_cgroups(const RootDir& top,
                                  const std::function<void(std::uint64_t id, std::string path)>& see);

inline constexpr std::size_t kMostCgroups = 100'000;

}  // namespace flowtap::identity
