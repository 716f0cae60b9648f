// kubelet's log directories: /var/log/pods/<ns>_<pod>_<uid>/<container>/N.log, and the links to them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "identity/root_dir.hpp"

namespace flowtap::identity {

/// Whose directory it is. The uid is kubelet's: for a static pod it is the hash of the manifest (32 hex digits, no
/// dashes). The API server's mirror of that pod has a uid of its own that no file of the node holds (its annotation
/// kubernetes.io/config.hash says which hash it mirrors).
struct PodLogs {
  std::string ns;
  std::string pod;
  std::string uid;

  bool operator==(const PodLogs&) const = default;
};

/// Parses "<ns>_<pod>_<uid>". Names in Kubernetes contain no `_` ([a-z0-9.-]), so there is only one way to read it.
[[nodiscard]] std::optional<PodLogs> parse_pod_log_directory(std::string_view name);

[[nodiscard]] bool is_static_pod_uid(std::string_view uid);

/// N of ".../N.log"; absent for any other name, including a rotated one.
[[nodiscard]] std::optional<unsigned> restart_of_log_file(std::string_view path);

/// The file that a container's output goes to now.
struct NewestLog {
  unsigned restart = 0;
  std::string path;  ///< from the root
};

/// The highest N.log of `container` in the pod's directory. Absent if there is none yet: the runtime makes it before
/// the container's first instruction. `container` must be a file name.
[[nodiscard]] Result<std::optional<NewestLog>> newest_log(const RootDir& root,
                                                          const std::string& pod_directory,
                                                          const std::string& container);

/// What a link /var/log/containers/<pod>_<ns>_<container>-<id>.log tells; it outlives the bundle.
struct ContainerLink {
  PodLogs pod;
  std::string container;
  std::string id;
  unsigned restart = 0;
  std::string log_path;  ///< from the root

  bool operator==(const ContainerLink&) const = default;
};

/// Parses the link's name and its target, which must agree.
[[nodiscard]] std::optional<ContainerLink> parse_container_link(std::string_view name,
                                                                std::string_view target);

/// The link of the container `id`. Absent if there is none.
[[nodiscard]] Result<std::optional<ContainerLink>> find_container_link(const RootDir& root,
                                                                       const std::string& id);

}  // namespace flowtap::identity
