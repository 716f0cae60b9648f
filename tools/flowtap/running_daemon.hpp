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

/// The flowtapd that holds the node's lock. As root, one that was told another root directory of the node is found, too. `root`:
/// where the node's file system is seen, with its /proc. Nothing: none is seen.
[[nodiscard]] std::optional<RunningDaemon> running_daemon(const std::string& root = "/");

/// Whether systemd runs here and has a unit flowtapd.service.
[[nodiscard]] bool has_unit(const std::string& root = "/");

/// What a user is told who finds nobody at the socket of `state_dir`; `daemon`: whom running_daemon() has found.
[[nodiscard]] Error nobody_listens(const std::string& state_dir, const std::optional<RunningDaemon>& daemon,
                                   bool has_unit);

}  // namespace flowtap::cli
