// The telemetry as one component: the collectors that the configuration asks for, and their latest values.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "daemon/config.hpp"
#include "daemon/process_stats.hpp"
#include "stats/snapshot.hpp"
#include "telemetry/collectors.hpp"

namespace flowtap {

class TelemetryPath {
 public:
  static constexpr const char* kName = "telemetry";  ///< the component's

  [[nodiscard]] static std::unique_ptr<TelemetryPath> start(const Config& config);

  /// Reads all anew, unless the last time was less than kLeast ago: with a shorter cycle the values are that old. Takes
  /// telemetry.time_limit at most. What could not be read is counted in `errors`.
  void collect(ReadErrors& errors);

  /// The values of the last collect(), and what it cost.
  void append_samples(std::vector<stats::Series>& out) const;

  /// Which collectors do not answer, if any.
  [[nodiscard]] Status health() const;
  [[nodiscard]] std::string how() const;

 private:
  static constexpr std::chrono::milliseconds kLeast{1000};

  explicit TelemetryPath(const Config& config);

  std::chrono::milliseconds time_limit_;
  telemetry::Collectors collectors_;
  std::vector<telemetry::CollectorState> states_;
  std::vector<stats::Series> series_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace flowtap
