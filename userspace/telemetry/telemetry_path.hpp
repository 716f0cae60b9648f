// The telemetry as one component: the collectors that the configuration asks for, and their latest values.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "identity/named_containers.hpp"
#include "identity/runtimes/state_directories.hpp"
#include "identity/usage_hierarchy.hpp"
#include "stats/read_errors.hpp"
#include "stats/snapshot.hpp"
#include "stats/usage_source.hpp"
#include "telemetry/collecting/collectors.hpp"
#include "telemetry/devices/devices_collector.hpp"
#include "telemetry/telemetry_options.hpp"
#include "telemetry/workload_logs.hpp"
#include "telemetry/workloads/compat_board.hpp"
#include "telemetry/workloads/container_ends.hpp"
#include "telemetry/workloads/workload_energy.hpp"

namespace flowtap {

class TelemetryPath {
 public:
  static constexpr const char* kName = "telemetry";  ///< the component's

  /// What outlives it: others know it, or ask for it.
  struct Shared {
    std::string host_root = "/";
    identity::StateDirectories runtimes = {};  ///< below it
    std::shared_ptr<NamedContainers> named;    ///< what the stream path knows
    std::shared_ptr<WorkloadLogs> logs;        ///< alike
    std::shared_ptr<telemetry::ContainerEnds> ends;
    std::string why_no_cycles = {};           ///< CycleCounting::why_not()
    identity::UsageHierarchy hierarchy = {};  ///< in which `usage` tells workloads apart
    bool for_cadvisor = false;                ///< read also what only cAdvisor's names have
  };
  /// `usage`: what the kernel side adds up, or why that is not available; null where nothing counts: then workloads are
  /// not told apart.
  [[nodiscard]] static std::unique_ptr<TelemetryPath> start(const TelemetryOptions& options,
                                                            Result<std::unique_ptr<stats::UsageSource>> usage,
                                                            Shared shared);

  /// Reads everything anew, unless the last time was less than kLeast ago: with a shorter cycle the values are that
  /// old. Takes at most telemetry.time_limit. What could not be read is counted in `errors`.
  void collect(ReadErrors& errors);

  /// The values of the last collect().
  [[nodiscard]] std::span<const stats::Series> series() const { return series_; }
  /// Beside them: see stats::Snapshot.
  [[nodiscard]] std::span<const stats::Series> for_compat() const { return for_compat_; }
  /// What it cost.
  void append_samples(std::vector<stats::Series>& out) const;

  /// When the last collect() read; absent before the first.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> measured() const {
    return last_ == std::chrono::steady_clock::time_point{} ? std::nullopt : std::optional(last_);
  }

  /// What is missing: a collector that does not answer, or one that could not be started.
  [[nodiscard]] Status health() const;
  [[nodiscard]] std::string how() const;

 private:
  static constexpr std::chrono::milliseconds kLeast{1000};

  TelemetryPath(const TelemetryOptions& options, Result<std::unique_ptr<stats::UsageSource>> usage,
                Shared shared);

  std::chrono::milliseconds time_limit_;
  std::chrono::milliseconds keep_;
  std::shared_ptr<WorkloadLogs> logs_;
  std::optional<Error> missing_;  // why workloads are not told apart, though they should
  bool counted_;
  std::string why_no_cycles_;
  bool by_v1_;  // workloads are told apart by a v1 hierarchy
  std::shared_ptr<telemetry::UsageBoard> used_ = std::make_shared<telemetry::UsageBoard>();
  std::shared_ptr<telemetry::DeviceBoard> devices_ = std::make_shared<telemetry::DeviceBoard>();
  telemetry::Collectors collectors_;
  std::vector<telemetry::CollectorState> states_;
  std::vector<stats::Series> series_;
  std::shared_ptr<telemetry::CompatBoard> compat_ = std::make_shared<telemetry::CompatBoard>();
  std::vector<stats::Series> for_compat_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace flowtap
