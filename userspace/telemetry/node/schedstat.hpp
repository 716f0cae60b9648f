// How long tasks ran on each CPU, and waited for it, from /proc/schedstat.
#pragma once

#include <string>
#include <string_view>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// /proc/schedstat, versions 15 to 17, whose lines for CPUs are the same. Another version gives nothing, as its columns
/// may mean something else.
void parse_schedstat(std::string_view text, Collected& out);

/// Nothing on kernels without it (CONFIG_SCHEDSTATS).
class SchedstatCollector final : public Collector {
 public:
  /// `proc`: the node's procfs.
  explicit SchedstatCollector(std::string proc) : proc_(std::move(proc)) {}

  [[nodiscard]] std::string_view name() const override { return "schedstat"; }
  void collect(Collected& out) override;

 private:
  std::string proc_;
};

}  // namespace flowtap::telemetry
