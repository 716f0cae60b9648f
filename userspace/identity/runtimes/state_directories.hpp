// Where the runtimes of a node keep what they know about their containers.
#pragma once

#include <string>
#include <vector>

namespace flowtap::identity {

/// The node's paths. The runtime's own configuration may put each of them elsewhere.
struct StateDirectories {
  /// `state =` of containerd's config.toml. k3s and k0s bring a containerd of their own.
  std::vector<std::string> containerd = {"/run/containerd", "/run/k3s/containerd", "/run/k0s/containerd"};
  /// runroot and graphroot of containers/storage. podman keeps config.json in the second, CRI-O in both.
  std::vector<std::string> storage = {"/run/containers/storage", "/var/lib/containers/storage"};
  /// Docker's data-root.
  std::vector<std::string> docker = {"/var/lib/docker"};

  bool operator==(const StateDirectories&) const = default;
};

}  // namespace flowtap::identity
