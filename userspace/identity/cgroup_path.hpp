// What the path of a cgroup tells about the container, pod or unit in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identity/identity.hpp"

namespace flowtap::identity {

/// Kubernetes' quality-of-service class, which shows in the place of the pod's cgroup.
enum class Qos : std::uint8_t { kNone, kGuaranteed, kBurstable, kBestEffort };

/// One container on the way down.
struct CgroupContainer {
  std::string id;
  std::optional<Runtime>
      runtime;  ///< absent where the name alone does not tell (containerd or Docker under cgroupfs)
  std::optional<std::string> pod_uid;
  Qos qos = Qos::kNone;

  bool operator==(const CgroupContainer&) const = default;
};

/// The path is read from the root down, because whoever holds a cgroup names what is below it. The node's own runtime
/// named only the first container, and only if there is no boundary above it. A second container was named inside the
/// first and may have the name of any other container of the node. The same goes for a unit below a user's manager.
struct CgroupPlace {
  std::vector<CgroupContainer> containers;  ///< from the outermost; never more than kDeepest
  std::optional<std::string> unit;       ///< the first systemd unit above all containers: a service or scope
  std::optional<std::string> user_unit;  ///< the unit below `unit` where that is a user's manager
  bool boundary = false;  ///< `unit` gives its tree away: a user's manager, a machine, an LXC container

  static constexpr std::size_t kDeepest =
      8;  ///< levels of nesting kept: the outermost and the innermost ones

  /// The container that a runtime of this node named, so its state directory may be asked.
  [[nodiscard]] const CgroupContainer* ours() const {
    return containers.empty() || boundary ? nullptr : &containers.front();
  }
  /// The innermost container, if it was named inside something else.
  [[nodiscard]] const CgroupContainer* nested() const {
    return containers.empty() || (containers.size() == 1 && !boundary) ? nullptr : &containers.back();
  }

  bool operator==(const CgroupPlace&) const = default;
};

/// Any text is a path; what is not understood names nothing. It takes v1 and v2 paths of the cgroupfs and systemd
/// drivers, the colon form that a cgroupfs runc makes of a systemd path (also linux.cgroupsPath of config.json), and
/// the last two names without the rest ("pod<UID>/<id>"). conmon's own cgroups are no containers.
[[nodiscard]] CgroupPlace parse_cgroup_path(std::string_view path);

/// The uid of the pod whose own cgroup this is: the last name of `path`.
[[nodiscard]] std::optional<std::string> pod_uid_of_cgroup(std::string_view path);

}  // namespace flowtap::identity
