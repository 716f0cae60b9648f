// What the names of other exporters need from earlier snapshots.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stats/compat/compat.hpp"
#include "stats/compat/sums.hpp"
#include "stats/compat/watts.hpp"
#include "stats/compat/zones.hpp"

namespace flowtap::stats::compat {

/// Used by one thread. A History that begins later than flowtapd knows less about what had ended before. For a reader
/// that was there before, its sums look like a restart.
class History {
 public:
  /// `host`: this machine's name, for the labels.
  History(std::vector<Exporter> exporters, std::string host);

  /// To be called with each snapshot, in their order. The result belongs to this snapshot.
  [[nodiscard]] std::shared_ptr<const Past> next(const Snapshot& snapshot);

 private:
  void take_instances(const Snapshot& snapshot);

  std::vector<Exporter> exporters_;
  std::string host_;
  std::shared_ptr<const Instances> instances_ = std::make_shared<Instances>();
  Sums sums_;
  Zones zones_;
  Watts watts_;
};

}  // namespace flowtap::stats::compat
