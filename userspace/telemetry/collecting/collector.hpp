// One thing that is read of the node: its memory, its disks, its energy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/snapshot.hpp"

namespace flowtap::telemetry {

/// What one collect() has read.
struct Collected {
  std::vector<stats::Series> series;
  std::uint64_t unread = 0;  ///< values that were to be read, could not be, and are absent

  /// `labels`: as many as the row has, in its order.
  void add(stats::StatId id, stats::Value value, stats::Labels labels = {}) {
    series.push_back({&stats::stat(id), std::move(labels), std::move(value)});
  }
};

/// Called from one thread at a time, which need not be the same each time. Reads under the root that it was given.
class Collector {
 public:
  Collector() = default;
  virtual ~Collector() = default;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// As the label `collector` and the `what` of flowtap_read_errors_total have it. A literal.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Reads all anew. What this node or kernel does not have is absent and nothing to count; what is there and cannot be
  /// read or understood is absent and counted.
  virtual void collect(Collected& out) = 0;
};

}  // namespace flowtap::telemetry
