// The cycle counters by which the node's active energy is divided, where they can be had.
#pragma once

#include <memory>
#include <string>

#include "kernel/dispatch/cycle_counters.hpp"
#include "telemetry/telemetry_options.hpp"

namespace flowtap {

/// Keeps the counters for as long as flowtapd runs: once it has started, the system calls that open one are refused.
class CycleCounting {
 public:
  /// Opens them where RAPL measures energy to divide, unless they are open; closes them where the options leave them to
  /// others. `counts`: dispatches are counted, which cycles need. `sysfs` is the node's.
  void choose(const TelemetryOptions& options, bool counts, const std::string& sysfs);
  /// To be called when they exist but cannot be used.
  void give_up(const std::string& why);

  /// Null: cycles are not counted.
  [[nodiscard]] std::shared_ptr<const kernel::CycleCounters> counters() const {
    return wanted_ ? counters_ : nullptr;
  }
  /// Why energy is divided by time, in one phrase; empty where counters() exist, or there is nothing to divide.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  std::shared_ptr<const kernel::CycleCounters> counters_;
  bool wanted_ = false;
  std::string why_not_;
};

}  // namespace flowtap
