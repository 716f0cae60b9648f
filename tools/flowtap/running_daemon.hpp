// Whether a flowtapd runs on this machine, for a user who did not reach it.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace flowtap::cli {

struct RunningDaemon {
  std::string pid;        ///< as this program sees it
  std::string state_dir;  ///< where this program finds it; empty: not known
};

/// The flowtapd that holds the node's lock. Root also finds one that was started with another --host-root. `root`: where the
/// node's file system is seen, with its /proc. Nothing: none is seen.
[[nodiscard]] std::optional<RunningDaemon> running_daemon(const std::string& root = "/");

/// Whether it is the one with this state directory, as far as that is known.
[[nodiscard]] bool has_state_dir(const RunningDaemon& daemon, const std::string& state_dir);

/// Whether systemd runs here and has a unit flowtapd.service.
[[nodiscard]] bool has_unit(const std::string& root = "/");

/// The error for a user whose `state_dir` has no socket that answers. `daemon`: what running_daemon() has found.
[[nodiscard]] Error nobody_listens(const std::string& state_dir, const std::optional<RunningDaemon>& daemon,
                                   bool has_unit);

}  // namespace flowtap::cli
