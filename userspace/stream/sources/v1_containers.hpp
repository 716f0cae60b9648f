// Containers that the log tap cannot find, because they have no cgroup of version 2.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "identity/root_dir.hpp"

namespace flowtap {

struct V1Containers {
  std::size_t count = 0;
  std::string example;  ///< the id of one
};

/// Those with running processes that are in a container's cgroup of v1 and in the root of v2, or where v2 is not
/// mounted. Looks at every process of `proc`, a procfs of the node, so it is for now and then.
[[nodiscard]] Result<V1Containers> find_v1_containers(const identity::RootDir& proc);

/// The sentence for whoever runs the node; empty: there are none.
[[nodiscard]] std::string v1_warning(const V1Containers& found);

}  // namespace flowtap
