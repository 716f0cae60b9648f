// What went through the node's network devices, from /proc/1/net/dev.
#pragma once

#include <string>
#include <string_view>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// /proc/net/dev: two lines of headings, and then one for each device.
void parse_net_dev(std::string_view text, Collected& out);

class NetworkCollector final : public Collector {
 public:
  /// `proc`: the node's procfs. The network namespace is that of its first process: flowtapd may be in another.
  explicit NetworkCollector(std::string proc) : proc_(std::move(proc)) {}

  [[nodiscard]] std::string_view name() const override { return "network"; }
  void collect(Collected& out) override;

 private:
  std::string proc_;
};

}  // namespace flowtap::telemetry
