// Which runs of containers there are flows of, so that the next run of a container gets a number of its own.
#pragma once

#include <cstddef>
#include <memory>

#include "identity/named_containers.hpp"
#include "stream/journal/journal.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

class KnownRuns {
 public:
  explicit KnownRuns(std::shared_ptr<NamedContainers> named) : named_(std::move(named)) {}

  /// Learns the runs that earlier services have flows of. Before anything is named.
  void learn(const flow::Journal& journal, const flow::FlowStore& store);
  /// Forgets those that nothing is left of, if there are many.
  void forget(const flow::Journal& journal, const flow::FlowStore& store);
  [[nodiscard]] const identity::ContainerRuns& all() const { return named_->runs(); }

 private:
  static constexpr std::size_t kMost = 16'384;

  std::shared_ptr<NamedContainers> named_;
  std::size_t most_ = kMost;
};

}  // namespace flowtap
