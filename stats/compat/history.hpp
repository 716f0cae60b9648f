// What the other exporters' names need of the snapshots before.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stats/compat/compat.hpp"
#include "stats/compat/sums.hpp"
#include "stats/compat/watts.hpp"
#include "stats/compat/zones.hpp"

namespace flowtap::stats::compat {

/// Used by one thread. One that begins later than flowtapd tells less of what had ended before; to who reads on, the sums that it
/// begins with are a restart.
class History {
 public:
  /// `host`: this machine's name, for the labels.
  History(std::vector<Exporter> exporters, std::string host);

  /// Each snapshot, in their order. The result goes with this one.
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
