// One flowtapd on a node.
#pragma once

#include <string>
#include <utility>

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

  /// Takes it again if somebody has removed its file, since another flowtapd would make a new one. True: it was removed, and is
  /// taken again. An Error: another flowtapd may run, or does.
  [[nodiscard]] Result<bool> keep();

 private:
  NodeLock(Fd file, std::string path, std::string state_dir)
      : file_(std::move(file)), path_(std::move(path)), state_dir_(std::move(state_dir)) {}
  [[nodiscard]] static Result<NodeLock> take_file(const std::string& path, const std::string& state_dir);

  Fd file_;
  std::string path_;
  std::string state_dir_;
};

}  // namespace flowtap
