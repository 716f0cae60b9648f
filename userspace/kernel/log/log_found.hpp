// What earlier starts of the log tap, of this build and of others, have left pinned.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "kernel/log/log_generation.hpp"
#include "kernel/log/log_hooks.hpp"
#include "kernel/log/log_older.hpp"

namespace flowtap::kernel {

struct LogFound {
  std::vector<LogHook> hooks;
  std::optional<LogGeneration> own;  ///< what this layout's build has pinned, if it is the one that captures
  std::vector<LogOlder> others;      ///< the oldest first
  std::optional<Error> unreadable;   ///< what one of the others has captured and nobody can read
};

/// Tells whose the hooks and the folders are. What this layout's build has pinned without capturing with it is removed, or set
/// aside as one of the others where it may still hold something. Fails where the process has too few descriptors or too little
/// memory: the other build then goes on capturing.
[[nodiscard]] Result<LogFound> find_log(const LogPins& pins, std::vector<LogHook> hooks);

}  // namespace flowtap::kernel
