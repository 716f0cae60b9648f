// How long the node's tasks waited because something was short, from /proc/pressure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// One file: "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", and the same with "full"; total is in microseconds. A
/// line that the kernel does not write is absent, and so is one that has no row here.
void parse_pressure(std::string_view text, std::optional<stats::StatId> some,
                    std::optional<stats::StatId> full, Collected& out);

/// Nothing on kernels that do not keep it (CONFIG_PSI, psi=0).
class PressureCollector final : public Collector {
 public:
  /// `proc`: the node's procfs.
  explicit PressureCollector(std::string proc) : folder_(std::move(proc) + "/pressure/") {}

  [[nodiscard]] std::string_view name() const override { return "pressure"; }
  void collect(Collected& out) override;

 private:
  std::string folder_;
};

}  // namespace flowtap::telemetry
