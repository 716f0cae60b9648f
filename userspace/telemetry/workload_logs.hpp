// What workloads have written to their outputs: the counts of their flows, which come and go, added up beside them.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/flows/written.hpp"
#include "stats/snapshot.hpp"
#include "telemetry/workloads/workload_name.hpp"

namespace flowtap {

/// Thread-safe.
class WorkloadLogs {
 public:
  using Clock = std::chrono::steady_clock;

  /// Beyond this many workloads, what is written counts for an unknown one. About 0.5 KiB each.
  static constexpr std::size_t kMost = 16'384;

  /// flow::WrittenBy.
  [[nodiscard]] std::shared_ptr<flow::Written> written_by(const std::string& flow);

  /// Appends the counts of all workloads that have written. One that has had no open stream for longer than `keep` is
  /// forgotten.
  void append_samples(std::vector<stats::Series>& out, Clock::time_point now, std::chrono::milliseconds keep);

 private:
  struct Entry {
    std::shared_ptr<flow::Written> written = std::make_shared<flow::Written>();
    Clock::time_point last = Clock::now();  // when one of its streams was last open
  };

  std::mutex mutex_;
  std::map<telemetry::WorkloadName, Entry> workloads_;
};

/// The workload that wrote the flow with this id, named as in the metrics of what it uses (naming_of()). Absent: it is
/// no workload's, like listed files and processes and schedulers' lines about pods.
[[nodiscard]] std::optional<telemetry::WorkloadName> workload_of(const std::string& flow);

}  // namespace flowtap
