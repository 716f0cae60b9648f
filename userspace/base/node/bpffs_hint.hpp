// What brings a BPF file system to a place where none is.
#pragma once

#include <string>

#include "base/result.hpp"

namespace flowtap {

/// The next thing that a person can do, as things stand at `path` now: "mount -t bpf bpf /x", or what has to come before. It ends with
/// what that is good for.
[[nodiscard]] std::string bpffs_hint(const std::string& path);

/// The Error of whoever could not do `what` there. A symbolic link that leads to nothing is called so, whatever errno says.
[[nodiscard]] Error bpffs_error(const std::string& what, const std::string& path);

}  // namespace flowtap
