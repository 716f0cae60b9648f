// What the telemetry is told to do.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "identity/usage_hierarchy.hpp"

namespace flowtap {

/// The most that `max_cgroups` may be: the programs give each cgroup a number of 16 bits.
inline constexpr std::uint64_t kMostCgroups = 65'535;

/// Plain values. The configuration's row telemetry.NAME says what each means and accepts.
struct TelemetryOptions {
  bool enabled = true;
  std::chrono::milliseconds time_limit{500};
  std::string hierarchy{identity::kAnyHierarchy};
  std::uint64_t max_cgroups = 4096;
  bool cycles = true;
  std::chrono::milliseconds keep = std::chrono::minutes(5);
  bool operator==(const TelemetryOptions&) const = default;
};

}  // namespace flowtap
