#include "identity/runtimes/bundle_finder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace flowtap::identity {
namespace {

constexpr std::string_view kTasks = "/io.containerd.runtime.v2.task";
constexpr std::string_view kKubernetes = "k8s.io";
constexpr std::string_view kDockersOwn = "moby";  // its bundles contain no names; Docker's own files do
constexpr std::size_t kMostNamespaces = 256;
// About 700 bytes a container.
constexpr std::size_t kStoreLimit = 8U << 20U;

// Drivers of containers/storage whose directory has the driver's name.
constexpr std::array<std::string_view, 4> kDrivers = {"overlay", "vfs", "btrfs", "zfs"};
// The second directory holds containers that need not outlive a boot (podman run --rm, since containers/storage 1.47).
constexpr std::array<std::string_view, 2> kStores = {"containers.json", "volatile-containers.json"};

// Absent where there is none.
Result<std::optional<std::string>> read_if_there(const RootDir& root, const std::string& path,
                                                 std::size_t limit) {
  auto text = root.read(path, limit);
  if (text) return std::optional(std::move(*text));
  if (text.error().code == ENOENT || text.error().code == ENOTDIR) return std::nullopt;
  return std::unexpected(std::move(text).error());
}

}  // namespace

BundleFinder::Found BundleFinder::find_containerd(const std::string& id) const {
  for (const std::string& state : where_.containerd) {
    const std::string tasks = state + std::string(kTasks);
    auto namespaces = root_.list(tasks, kMostNamespaces);
    if (!namespaces) continue;  // this containerd does not run here
    // Kubernetes' comes first: nearly all ids are there.
    std::ranges::stable_partition(*namespaces, [](const std::string& name) { return name == kKubernetes; });
    for (const std::string& name : *namespaces) {
      if (name == kDockersOwn) continue;
      FTAP_TRY_ASSIGN(text, read_if_there(root_, joined({tasks, name, id, "config.json"}), kBundleLimit));
      if (text) return parse_oci_config(*text, BundleKind::kContainerd, id);
    }
  }
  return std::nullopt;
}

BundleFinder::Found BundleFinder::find_docker(const std::string& id) const {
  for (const std::string& data_root : where_.docker) {
    const std::string directory = joined({data_root, "containers", id});
    FTAP_TRY_ASSIGN(config, read_if_there(root_, directory + "/config.v2.json", kBundleLimit));
    if (!config) continue;
    FTAP_TRY_ASSIGN(hostconfig, read_if_there(root_, directory + "/hostconfig.json", kBundleLimit));
    return parse_docker_config(*config, hostconfig.value_or(std::string()), id);
  }
  return std::nullopt;
}

// If the name cannot be found, only the name is missing.
void BundleFinder::add_stored_name(const std::string& containers, ContainerIdentity& who) const {
  for (const std::string_view store : kStores) {
    const auto text = root_.read(containers + std::string(store), kStoreLimit);
    if (!text) continue;
    const auto stored = find_stored_name(*text, who.container_id);
    if (!stored || !*stored) continue;
    who.container_name = (*stored)->name;
    who.image = (*stored)->image;
    return;
  }
}

BundleFinder::Found BundleFinder::find_stored(const std::string& id) const {
  for (const std::string& storage : where_.storage)
    for (const std::string_view driver : kDrivers) {
      const std::string containers = storage + "/" + std::string(driver) + "-containers/";
      const std::string bundle_dir = containers + id + "/userdata";
      FTAP_TRY_ASSIGN(text, read_if_there(root_, bundle_dir + "/config.json", kBundleLimit));
      if (!text) continue;
      FTAP_TRY_ASSIGN(bundle, parse_oci_config(*text, BundleKind::kStorage, id));
      if (bundle.who.runtime != Runtime::kPodman) return bundle;
      add_stored_name(containers, bundle.who);
      // Only podman's database has its log driver; conmon makes this file before it starts the container.
      const std::string log = bundle_dir + "/ctr.log";
      if (root_.has_file(log)) {
        bundle.who.log_path = log;
        bundle.who.format = LogFormat::kK8sFile;
      }
      return bundle;
    }
  return std::nullopt;
}

BundleFinder::Found BundleFinder::find(const std::string& id, std::optional<Runtime> hint) const {
  FTAP_TRY(check_container_id(id));
  if (!hint || hint == Runtime::kContainerd) {
    FTAP_TRY_ASSIGN(bundle, find_containerd(id));
    if (bundle || hint) return bundle;
  }
  if (!hint || hint == Runtime::kDocker) {
    FTAP_TRY_ASSIGN(bundle, find_docker(id));
    if (bundle || hint) return bundle;
  }
  if (!hint || hint == Runtime::kCrio || hint == Runtime::kPodman) return find_stored(id);
  return std::nullopt;
}

}  // namespace flowtap::identity
