// Names the streams of containers, with what identity/ finds out, and the streams of what is listed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "identity/flow_labels.hpp"
#include "identity/named_containers.hpp"
#include "identity/node_resolver.hpp"
#include "stream/journal/consumer/namer.hpp"

namespace flowtap {

class ContainerNamer final : public flow::Namer {
 public:
  /// `host_root` is where the node's file system is seen, with its /proc. `named` is told each container and each run; may be
  /// null.
  [[nodiscard]] static Result<std::unique_ptr<ContainerNamer>> open(
      const std::string& host_root, identity::StateDirectories where = {},
      std::shared_ptr<NamedContainers> named = {});

  [[nodiscard]] flow::Naming name(const flow::Enter& enter) override;
  void learn(const flow::StreamName& name, const flow::StreamSlot& slot) override;

 private:
  [[nodiscard]] flow::Naming name_listed(const flow::Enter& enter);
  /// The flow of the run that this is. `labels` get what tells it from others.
  [[nodiscard]] std::string name_run(const flow::Enter& enter, const identity::Answer& answer,
                                     FlowLabels& labels);

  ContainerNamer(std::unique_ptr<identity::NodeResolver> resolver, std::shared_ptr<NamedContainers> named)
      : resolver_(std::move(resolver)), named_(std::move(named)) {}

  std::unique_ptr<identity::NodeResolver> resolver_;
  std::shared_ptr<NamedContainers> named_;
};

}  // namespace flowtap
