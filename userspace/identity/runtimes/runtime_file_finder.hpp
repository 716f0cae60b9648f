// Where the runtimes of a node keep what containers wrote. The search goes by the names of flows, so it also finds
// containers that nobody saw running.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/flows/flow_run.hpp"
#include "identity/identity.hpp"
#include "identity/root_dir.hpp"
#include "identity/runtimes/bundle_finder.hpp"
#include "identity/runtimes/pod_logs.hpp"

namespace flowtap::identity {

/// The files of one container.
struct RuntimeFilePlace {
  RootDir dir;       ///< a directory on the way to which there is no link of a tenant
  std::string base;  ///< the name of the file being written; rotated ones have a suffix
  LogFormat format = LogFormat::kNone;
  RunSpan run =
      {};  ///< whose lines are meant: podman and Docker keep all runs of a container in the same files
};

/// A container of a pod whose files are there.
struct PodLog {
  PodLogs pod;
  std::string container;
  unsigned restart = 0;
  std::chrono::system_clock::time_point since;  ///< about when the pod came to this node
};

/// Knows nothing and remembers nothing: each call looks. Safe from any thread.
class RuntimeFileFinder {
 public:
  explicit RuntimeFileFinder(RootDir root, StateDirectories where = {})
      : root_(std::move(root)), where_(std::move(where)), finder_(root_, where_) {}
  RuntimeFileFinder(const RuntimeFileFinder&) = delete;
  RuntimeFileFinder& operator=(const RuntimeFileFinder&) = delete;

  /// The files of the flow with this id, whichever run it has: pod/... in /var/log/pods, where links lead to Docker's, container/... in
  /// Docker's and podman's own directories. Absent where there are none, or the runtime keeps them elsewhere
  /// (journald).
  [[nodiscard]] std::optional<RuntimeFilePlace> find(const std::string& flow) const;

  /// All wanted containers of the pods that are or were here, without sandboxes. One without an N.log does not count.
  [[nodiscard]] std::vector<PodLog> pods(const std::function<bool(const PodLogs&)>& is_wanted) const;

 private:
  [[nodiscard]] std::optional<RuntimeFilePlace> find_pod(const std::vector<std::string>& id) const;
  [[nodiscard]] std::optional<RuntimeFilePlace> find_linked(const std::vector<std::string>& id,
                                                            const std::string& target) const;
  [[nodiscard]] std::optional<RuntimeFilePlace> find_container(const std::string& start) const;
  [[nodiscard]] std::optional<RuntimeFilePlace> open(const ContainerIdentity& who) const;

  RootDir root_;
  StateDirectories where_;
  BundleFinder finder_;
};

}  // namespace flowtap::identity
