// Which cgroup hierarchy of the node tells apart who uses what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "identity/root_dir.hpp"

namespace flowtap::identity {

/// The v2 hierarchy, or the v1 hierarchy with the controller cpuacct: only these have both the kernel's own account of
/// CPU time and all containers.
struct UsageHierarchy {
  std::string place = {};  ///< its directory; empty: none is visible, and all usage counts for the host
  std::uint32_t id = 0;    ///< the kernel's number for it: 0 is v2, the others are as in /proc/cgroups

  [[nodiscard]] bool is_v1() const { return id != 0; }
  /// Absent where none is visible.
  [[nodiscard]] std::optional<RootDir> open() const;
  /// The path in it, from /proc/PID/cgroup. Absent: it is the root. If this is the v2 hierarchy, a process in its root
  /// gets the v1 path that tells most (parse_proc_cgroup()).
  [[nodiscard]] std::optional<std::string> path_in(std::string_view proc_cgroup) const;

  bool operator==(const UsageHierarchy&) const = default;
};

/// How it is chosen.
inline constexpr std::string_view kAnyHierarchy = "auto";  ///< v2's; v1's where that is not seen
inline constexpr std::string_view kHierarchyOfV1 = "v1";
inline constexpr std::string_view kHierarchyOfV2 = "v2";

/// `wanted` is one of these; `host_root` is where the node's file system is visible, with its /proc and /sys. An error:
/// v1 is wanted, and is not there.
[[nodiscard]] Result<UsageHierarchy> choose_hierarchy(const std::string& host_root, std::string_view wanted);

/// The number of the v1 hierarchy that has `controller`, by /proc/cgroups. Absent: it is in none, or there is no such
/// controller.
[[nodiscard]] std::optional<std::uint32_t> parse_proc_cgroups(std::string_view text,
                                                              std::string_view controller);

}  // namespace flowtap::identity
