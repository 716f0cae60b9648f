// Names of other exporters that are asked for while nothing is read that could stand under them.
#pragma once

#include <string>

#include "telemetry/telemetry_options.hpp"

namespace flowtap {

/// `compat_metrics` is prometheus.compat_metrics. Empty: there is something, or nothing is asked for.
[[nodiscard]] inline std::string idle_compat(const TelemetryOptions& options,
                                             const std::string& compat_metrics) {
  if (options.enabled || compat_metrics.empty()) return {};
  return "prometheus.compat_metrics (" + compat_metrics + ") has nothing to show: telemetry.enabled is false";
}

}  // namespace flowtap
