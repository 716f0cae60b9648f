// What a runtime wrote down about a container: the OCI config.json of its bundle, and Docker's own file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "identity/identity.hpp"

namespace flowtap::identity {

/// A container as its bundle describes it. `who.restart` and `who.log_path` are absent where another file holds them
/// (containerd: the names in the pod's log directory).
struct Bundle {
  ContainerIdentity who;
  std::optional<std::string> sandbox_id;     ///< of the pod's sandbox; a sandbox names itself
  std::optional<std::string> log_directory;  ///< of the pod, in a sandbox's bundle only
  std::optional<std::string> cgroups_path;   ///< as the runtime passed it to runc
};

/// The place of a config.json decides whose keys are believed: a pod may carry annotations that look like another
/// runtime's, and some runtimes hand them on.
enum class BundleKind : std::uint8_t {
  kContainerd,  ///< io.kubernetes.cri.* (containerd's CRI plugin), nerdctl/* outside Kubernetes
  kStorage,  ///< containers/storage: CRI-O by io.kubernetes.cri-o.*, or podman, as io.container.manager says
};

/// Larger files are refused. Everything a pod can put in (env and args, which exec bounds at 2 MiB, and annotations)
/// fits, except for hostile escapes. Parsed it takes a few times as much memory, for a moment.
inline constexpr std::size_t kBundleLimit = 4U << 20U;

/// Parses the config.json of the container `id`. podman's contains no name: find_stored_name() has it.
[[nodiscard]] Result<Bundle> parse_oci_config(std::string_view json, BundleKind kind, const std::string& id);

/// Parses Docker's config.v2.json and the hostconfig.json beside it (empty if it could not be read: then the log driver
/// is unknown). Kubernetes labels (cri-dockerd) are believed only where the container's cgroup parent is a pod with the
/// same uid: labels also come from images, which anyone may build.
[[nodiscard]] Result<Bundle> parse_docker_config(std::string_view config, std::string_view hostconfig,
                                                 const std::string& id);

/// Name and image of the container `id` in containers/storage's containers.json.
struct StoredName {
  std::optional<std::string> name;
  std::optional<std::string> image;
};
[[nodiscard]] Result<std::optional<StoredName>> find_stored_name(std::string_view containers_json,
                                                                 std::string_view id);

}  // namespace flowtap::identity
