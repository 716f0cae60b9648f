// Containers that the log tap cannot find, because they have no cgroup of version 2.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "identity/root_dir.hpp"

namespace flowtap {

struct V1Containers {
  std::size_t count = 0;
  std::string example;  ///< the id of one
};

/// Finds containers with running processes that are in a container's cgroup of v1 and in the root of v2, or in no v2 if it is not
/// mounted. Looks at every process of `proc`, a procfs of the node, so it is not to be called often.
[[nodiscard]] Result<V1Containers> find_v1_containers(const identity::RootDir& proc);

/// The sentence for whoever runs the node; empty: there are none.
[[nodiscard]] std::string v1_warning(const V1Containers& found);

/// Looks for them now and then, until there are some: it is enough to say it once.
class V1Search {
 public:
  /// `host_root` is where the node's file system is seen. If its /proc cannot be opened, nothing is found.
  explicit V1Search(const std::string& host_root);

  /// v1_warning(), once there is one.
  [[nodiscard]] std::optional<std::string> look_around();

 private:
  std::optional<identity::RootDir> proc_;  // as long as it is looked at
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace flowtap
