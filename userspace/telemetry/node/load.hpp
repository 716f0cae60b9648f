// The node's load averages, from /proc/loadavg.
#pragma once

#include <string>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

class LoadCollector final : public Collector {
 public:
  /// `proc`: the node's procfs.
  explicit LoadCollector(std::string proc) : proc_(std::move(proc)) {}

  [[nodiscard]] std::string_view name() const override { return "load"; }
  void collect(Collected& out) override;

 private:
  std::string proc_;
};

}  // namespace flowtap::telemetry
