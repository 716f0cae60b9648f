// The file system that keeps programs and maps alive while no process holds them.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace flowtap {

/// Mounts a BPF file system at `path` unless one is there, as bpftool does. systemd mounts it at boot; other init systems and
/// containers do not. After an Error, capture ends with this process; nothing else is lost.
[[nodiscard]] Status ensure_bpffs(const std::string& path);

/// Whether the BPF file system at `path` is also mounted where the node's process 1 sees it. If it is not, all that is pinned
/// there goes when the mount namespace goes that it was mounted in. `proc` is a procfs of the node. Absent: `proc` does not
/// tell.
[[nodiscard]] std::optional<bool> is_on_node(const std::string& path, const std::string& proc);

/// Whether other processes than this one and its own children have its mount namespace. What is mounted only there then outlives this
/// process. `proc` is a procfs in which this process is seen. Absent: it does not tell.
[[nodiscard]] std::optional<bool> shares_mounts(const std::string& proc);

}  // namespace flowtap
