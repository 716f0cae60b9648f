// The resolver of the node as flowtapd sees it, with the directories that it looks into.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/node/on_host.hpp"
#include "identity/resolver.hpp"
#include "identity/root_dir.hpp"

namespace flowtap::identity {

/// Not thread-safe, like the resolver. It stays where it was made, because the resolver keeps references to the directories.
class NodeResolver {
 public:
  /// `host_root` is where the node's file system is seen, with its /proc; `cgroups` is the hierarchy whose numbers a Sighting
  /// has, absent where nobody sees it.
  [[nodiscard]] static Result<std::unique_ptr<NodeResolver>> open(const std::string& host_root,
                                                                  std::optional<RootDir> cgroups,
                                                                  StateDirectories where) {
    FTAP_TRY_ASSIGN(root, RootDir::open(host_root));
    // /proc is opened by itself: below `root` a link to another procfs, as a container may have it, would not be followed.
    FTAP_TRY_ASSIGN(proc, RootDir::open(on_host(host_root, "/proc")));
    return std::unique_ptr<NodeResolver>(
        new NodeResolver(std::move(root), std::move(proc), std::move(cgroups), std::move(where)));
  }

  [[nodiscard]] Answer resolve(const Sighting& sighting) { return resolver_.resolve(sighting); }
  [[nodiscard]] const std::optional<RootDir>& cgroups() const { return cgroups_; }

 private:
  static constexpr std::size_t kRemembered = 4096;

  NodeResolver(RootDir root, RootDir proc, std::optional<RootDir> cgroups, StateDirectories where)
      : root_(std::move(root)),
        proc_(std::move(proc)),
        cgroups_(std::move(cgroups)),
        resolver_(root_, proc_, std::move(where), kRemembered, cgroups_ ? &*cgroups_ : nullptr) {}

  RootDir root_;
  RootDir proc_;
  std::optional<RootDir> cgroups_;
  Resolver resolver_;
};

}  // namespace flowtap::identity
