// Names the streams of containers, with what identity/ finds out.
#pragma once

#include <memory>
#include <string>

#include "flow/namer.hpp"
#include "identity/resolver.hpp"

namespace flowtap {

class ContainerNamer final : public flow::Namer {
 public:
  /// `host_root` is where the node's file system is seen, with its /proc.
  [[nodiscard]] static Result<std::unique_ptr<ContainerNamer>> open(const std::string& host_root,
                                                                    identity::StateDirectories where = {});

  [[nodiscard]] flow::Naming name(const flow::Enter& enter) override;

 private:
  ContainerNamer(identity::RootDir root, identity::RootDir proc, identity::StateDirectories where)
      : root_(std::move(root)), proc_(std::move(proc)), resolver_(root_, proc_, std::move(where)) {}

  identity::RootDir root_;
  identity::RootDir proc_;
  identity::Resolver resolver_;
};

}  // namespace flowtap
