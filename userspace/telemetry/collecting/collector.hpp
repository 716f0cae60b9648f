// One thing that is read from the node: its memory, its disks, its energy.
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
  std::uint64_t unread = 0;  ///< values that should have been read, could not be, and are absent

  /// `labels`: as many as the row has, in its order.
  void add(stats::StatId id, stats::Value value, stats::Labels labels = {}) {
    series.push_back({&stats::stat(id), std::move(labels), std::move(value)});
  }
};

/// Called from one thread at a time, which need not be the same each time. It reads under the root that it was given.
class Collector {
 public:
  Collector() = default;
  virtual ~Collector() = default;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// The name for the label `collector` and for `what` of flowtap_read_errors_total. A literal.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Reads everything anew. What this node or kernel does not have is absent and not counted. What is there but cannot
  /// be read or understood is absent and counted.
  virtual void collect(Collected& out) = 0;
};

}  // namespace flowtap::telemetry
