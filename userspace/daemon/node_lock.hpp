// One flowtapd on a node.
#pragma once

#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

/// Held as long as it lives; the kernel lets go of it when the process ends, however that happens, so a
/// killed flowtapd leaves nothing that hinders the next start.
class NodeLock {
 public:
  /// Locks <host_root>/run/flowtapd.lock: the node's, not the state directory's, since two that count on one
  /// node would both report every dispatch. Fails with the pid of the one that holds it.
  [[nodiscard]] static Result<NodeLock> take(const std::string& host_root);

 private:
  explicit NodeLock(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

}  // namespace flowtap
