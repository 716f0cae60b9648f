// One flowtapd on a node.
#pragma once

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

/// Held for as long as it lives. The kernel releases it when the process ends, however that happens, so a killed
/// flowtapd leaves nothing that hinders the next start.
class NodeLock {
 public:
  /// Locks <host_root>/run/flowtapd.lock. The lock belongs to the node and not to the state directory, since two
  /// flowtapd on one node would both report every dispatch. The file then says whose state directory is `state_dir`
  /// (api::LockText). The Error names the pid and the directory of the one that holds it.
  [[nodiscard]] static Result<NodeLock> take(const std::string& host_root, const std::string& state_dir);

 private:
  explicit NodeLock(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

}  // namespace flowtap
