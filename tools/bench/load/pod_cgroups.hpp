// Cgroups as kubelet makes them for pods, and what makes a process the first of a container in one.
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

  /// The path of a new container's cgroup (v2). Where the machine has hierarchies of v1 as well, it has one at the same path in
  /// those whose controllers are read, as runtimes make them.
  [[nodiscard]] Result<std::string> add(std::size_t number);

  /// How the ids of all their containers begin.
  static constexpr std::string_view kIdStart = "be9c";
  [[nodiscard]] static std::string id_of(std::size_t number);
  [[nodiscard]] static std::string uid_of(std::size_t number);  ///< its pod's

 private:
  PodCgroups() = default;
  [[nodiscard]] Status make_everywhere(const std::string& directory);

  std::string parent_;
  std::vector<std::string> directories_;  // parents first
};

/// In a child: puts it into the cgroup and into a mount namespace of its own, with `output` as its standard output, and with
/// `network` into a network namespace with a device "eth0". It is a container once it becomes a program (exec). Ends the process
/// where that cannot be done.
void enter_pod(const std::string& cgroup, int output, bool network = false);

}  // namespace flowtap::bench
