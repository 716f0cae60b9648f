// Names the streams of containers, with what identity/ finds out, and of what is listed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "identity/named_containers.hpp"
#include "identity/resolver.hpp"
#include "stream/journal/consumer/namer.hpp"

namespace flowtap {

class ContainerNamer final : public flow::Namer {
 public:
  /// `host_root` is where the node's file system is seen, with its /proc. `named` is told each container; may be null.
  [[nodiscard]] static Result<std::unique_ptr<ContainerNamer>> open(
      const std::string& host_root, identity::StateDirectories where = {},
      std::shared_ptr<NamedContainers> named = {});

  [[nodiscard]] flow::Naming name(const flow::Enter& enter) override;

 private:
  [[nodiscard]] flow::Naming name_listed(const flow::Enter& enter);

  ContainerNamer(identity::RootDir root, identity::RootDir proc, std::optional<identity::RootDir> cgroups,
                 identity::StateDirectories where, std::shared_ptr<NamedContainers> named)
      : root_(std::move(root)),
        proc_(std::move(proc)),
        cgroups_(std::move(cgroups)),
        resolver_(root_, proc_, std::move(where), kRemembered, cgroups_ ? &*cgroups_ : nullptr),
        named_(std::move(named)) {}

  static constexpr std::size_t kRemembered = 4096;

  identity::RootDir root_;
  identity::RootDir proc_;
  std::optional<identity::RootDir> cgroups_;  // the hierarchy of v2, where it is seen
  identity::Resolver resolver_;
  std::shared_ptr<NamedContainers> named_;
};

}  // namespace flowtap
