// Finds a container's bundle in the state directories of the runtimes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "identity/identity.hpp"
#include "identity/root_dir.hpp"
#include "identity/runtimes/bundle.hpp"
#include "identity/runtimes/state_directories.hpp"

namespace flowtap::identity {

class BundleFinder {
 public:
  BundleFinder(const RootDir& root, StateDirectories where) : root_(root), where_(std::move(where)) {}

  /// The bundle of container `id`, from the runtime that `hint` names, otherwise from the first that knows it. Absent
  /// where no runtime has it: not yet, or no longer (containerd's goes 31..63 ms after the container's exit). An error
  /// where there is one that cannot be read; a half-written one is such an error too, so ask again.
  [[nodiscard]] Result<std::optional<Bundle>> find(const std::string& id, std::optional<Runtime> hint) const;

 private:
  using Found = Result<std::optional<Bundle>>;
  [[nodiscard]] Found find_containerd(const std::string& id) const;
  [[nodiscard]] Found find_docker(const std::string& id) const;
  [[nodiscard]] Found find_stored(const std::string& id) const;
  void add_stored_name(const std::string& containers, ContainerIdentity& who) const;

  const RootDir& root_;
  StateDirectories where_;
};

}  // namespace flowtap::identity
