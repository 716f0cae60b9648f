// Makes cgroups for pods like kubelet, and turns a process into the first one of a container in them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::bench {

class PodCgroups {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PodCgroups>> make();
  ~PodCgroups();  ///< removes them; their processes must have ended
  PodCgroups(const PodCgroups&) = delete;
  PodCgroups& operator=(const PodCgroups&) = delete;

  /// The path of a new container's cgroup (v2). If the machine also has hierarchies of v1, the container gets one at
  /// the same path in those whose controllers are read, as from real runtimes.
  [[nodiscard]] Result<std::string> add(std::size_t number);

  /// The beginning of the ids of all their containers.
  static constexpr std::string_view kIdStart = "be9c";
  [[nodiscard]] static std::string id_of(std::size_t number);
  [[nodiscard]] static std::string uid_of(std::size_t number);  ///< the uid of its pod

 private:
  PodCgroups() = default;
  [[nodiscard]] Status make_everywhere(const std::string& directory);

  std::string parent_;
  std::vector<std::string> directories_;  // parents first
};

/// Called in a child: puts it into the cgroup and into its own mount namespace, with `output` as its standard output;
/// with `network`, also into a network namespace with a device "eth0". It is a container once it executes a program.
/// Ends the process if that cannot be done.
void enter_pod(const std::string& cgroup, int output, bool network = false);

}  // namespace flowtap::bench
