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

#include "base/written.hpp"
#include "stats/snapshot.hpp"
#include "telemetry/workloads/workload_name.hpp"

namespace flowtap {

/// Thread-safe.
class WorkloadLogs {
 public:
  using Clock = std::chrono::steady_clock;

  /// What is written by more workloads than this counts as nobody's that is known. About 0.5 KiB each.
  static constexpr std::size_t kMost = 16'384;

  /// flow::WrittenBy.
  [[nodiscard]] std::shared_ptr<flow::Written> written_by(const std::string& flow);

  /// Appends the counts of all that has written. Who has had no open stream for longer than `keep` is forgotten.
  void append_samples(std::vector<stats::Series>& out, Clock::time_point now, std::chrono::milliseconds keep);

 private:
  struct Entry {
    std::shared_ptr<flow::Written> written = std::make_shared<flow::Written>();
    Clock::time_point last = Clock::now();  // when a stream of it was open
  };

  std::mutex mutex_;
  std::map<telemetry::WorkloadName, Entry> workloads_;
};

/// Whose output the flow with this id is, called as in the metrics of what it uses (naming_of()). Absent: no workload's, as of
/// listed files and processes and of schedulers' lines about pods.
[[nodiscard]] std::optional<telemetry::WorkloadName> workload_of(const std::string& flow);

}  // namespace flowtap
