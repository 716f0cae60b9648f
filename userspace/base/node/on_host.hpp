// The paths of the node's files as flowtapd sees them: in a container they are not the node's own.
#pragma once

#include <string>
#include <string_view>

namespace flowtap {

/// The node's `path`, which begins with a slash or is empty, below the folder where the node's root is seen ("/", "/host").
[[nodiscard]] inline std::string on_host(std::string_view host_root, std::string_view path) {
  std::string root(host_root);
  if (root.ends_with('/')) root.pop_back();
  return root.append(path);
}

}  // namespace flowtap
