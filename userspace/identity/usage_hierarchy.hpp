// Which of the node's hierarchies of cgroups tells apart who uses what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "identity/root_dir.hpp"

namespace flowtap::identity {

/// That of v2, or of those of v1 the one that has the controller cpuacct: only there both the kernel's own account of CPU time
/// and all containers are.
struct UsageHierarchy {
  std::string place = {};  ///< its directory; empty: none is seen, and all is the host's
  std::uint32_t id = 0;    ///< the kernel's number of it: 0 is v2's, the others as in /proc/cgroups

  [[nodiscard]] bool is_v1() const { return id != 0; }
  /// Absent where none is seen.
  [[nodiscard]] std::optional<RootDir> open() const;
  /// The path in it out of /proc/PID/cgroup. Absent: the root's. Where it is v2's, that of v1 which tells most
  /// (parse_proc_cgroup()) for a process in the root of v2.
  [[nodiscard]] std::optional<std::string> path_in(std::string_view proc_cgroup) const;

  bool operator==(const UsageHierarchy&) const = default;
};

/// How it is chosen.
inline constexpr std::string_view kAnyHierarchy = "auto";  ///< v2's; v1's where that is not seen
inline constexpr std::string_view kHierarchyOfV1 = "v1";
inline constexpr std::string_view kHierarchyOfV2 = "v2";

/// `wanted` is one of these; `host_root` is where the node's file system is seen, with its /proc and /sys. An error: v1's is
/// wanted, and is not there.
[[nodiscard]] Result<UsageHierarchy> choose_hierarchy(const std::string& host_root, std::string_view wanted);

/// The number of the hierarchy of v1 that has `controller`, by /proc/cgroups. Absent: it is in none, or there is no such
/// controller.
[[nodiscard]] std::optional<std::uint32_t> parse_proc_cgroups(std::string_view text,
                                                              std::string_view controller);

}  // namespace flowtap::identity
