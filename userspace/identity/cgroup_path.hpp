// What the path of a cgroup tells of the container, pod or unit in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identity/identity.hpp"

namespace flowtap::identity {

/// Kubernetes' class of service, as the pod's cgroup is placed.
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

/// Read from the root down, because whoever holds a cgroup names what is below it. Only the first
/// container, and only without a boundary above it, was named by the node's own runtime; a second one was
/// named inside the first and may be called like any other container of the node. Likewise a unit below a
/// user's manager.
struct CgroupPlace {
  std::vector<CgroupContainer> containers;  ///< from the outermost; never more than kDeepest
  std::optional<std::string> unit;       ///< the first systemd unit above all containers: a service or scope
  std::optional<std::string> user_unit;  ///< the unit below `unit` where that is a user's manager
  bool boundary = false;  ///< `unit` gives its tree away: a user's manager, a machine, an LXC container

  static constexpr std::size_t kDeepest =
      8;  ///< levels of nesting kept: the outermost and the innermost ones

  /// Named by a runtime of this node, so that its state directory may be asked.
  [[nodiscard]] const CgroupContainer* ours() const {
    return containers.empty() || boundary ? nullptr : &containers.front();
  }
  /// The innermost one, where that is named inside something else.
  [[nodiscard]] const CgroupContainer* nested() const {
    return containers.empty() || (containers.size() == 1 && !boundary) ? nullptr : &containers.back();
  }

  bool operator==(const CgroupPlace&) const = default;
};

/// Any text is a path; what is not understood names nothing. Takes v1 and v2 paths of the cgroupfs and
/// systemd drivers, the colon form that a cgroupfs runc makes of a systemd path (also linux.cgroupsPath of
/// config.json), and the last two names alone ("pod<UID>/<id>"). conmon's own cgroups are no containers.
[[nodiscard]] CgroupPlace parse_cgroup_path(std::string_view path);

/// The uid of the pod whose own cgroup this is: the last name of `path`.
[[nodiscard]] std::optional<std::string> pod_uid_of_cgroup(std::string_view path);

}  // namespace flowtap::identity
