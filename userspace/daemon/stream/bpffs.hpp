// The file system that keeps programs and maps alive while no process holds them.
#pragma once

#include <string>

#include "base/result.hpp"

namespace flowtap {

/// Mounts a BPF file system at `path` unless one is there, as bpftool does: systemd mounts it at boot, other init
/// systems and containers do not. An Error costs only that capture ends with this process.
[[nodiscard]] Status ensure_bpffs(const std::string& path);

}  // namespace flowtap
