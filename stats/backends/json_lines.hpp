// One JSON object per cycle, one per line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "stats/backend.hpp"
#include "stats/backends/sending/line_stream.hpp"

namespace flowtap::stats {

/// A line (here broken up):
///
///   {"stream":"18a2f0c1d2e3f405","seq":4,"cycle":7,"time":"2026-01-02T03:04:05.678Z","since":"2026-01-02T03:04:02.678Z",
///    "start":"2026-01-02T03:00:00.000Z","series":[
///     {"name":"dispatched_tasks_total","labels":{"scheduler":"kernel","type":"wsync"},"kind":"counter",
///      "total":12,"delta":2},
///     {"name":"process_threads","labels":{},"kind":"gauge","value":9},
///     {"name":"flowtap_run_queue_latency_seconds","labels":{"scheduler":"kernel"},"kind":"histogram",
///      "total":{"count":3,"sum":0.5,"buckets":{"0.000001024":1,...}},"delta":{...the same...}}]}
///
/// `total` counts since `start`, `delta` since the line before (`since` is its time, or `start`), so the
/// deltas of all lines add up to the total, also over restarts of ours, each of which is a new `start` with
/// totals from 0. `buckets` are cumulative; the one without an upper edge is `count`. A value that could not
/// be read has no entry. Whole numbers may exceed 2^53.
///
/// Lines arrive at least once and in order of `seq`, which counts from 1 in each `stream` (a new one with
/// each start or reload of ours): a reader that keeps the last (`stream`, `seq`) it took drops what comes
/// twice after a new connection. A reader drops a last line without '\n': it comes again.
///
/// A receiver that was away gets the lines of the first `max_pending` cycles, and then one that sums up the rest.
class JsonLines : public Backend {
 public:
  JsonLines(Address address, LineStreamOptions options);

  [[nodiscard]] std::string name() const override { return "json_lines"; }
  void begin_at(const Snapshot& snapshot) override;
  Status publish(const SnapshotPtr& snapshot) override;
  [[nodiscard]] BackendHealth health() const override { return health_; }

 private:
  /// The values of one series in the last line that had it.
  struct Told {
    Value total;  // 0 before the first
    std::uint64_t seq = 0;
  };

  void append(const Snapshot& snapshot);
  void forget_absent(std::size_t live);
  void write_series(const Series& series);
  Told& told(const Series& series);

  LineStream stream_;
  std::string stream_id_;
  std::uint64_t cycle_ = 0;  // of the last line
  std::uint64_t seen_ = 0;   // the newest cycle that was offered
  std::uint64_t seq_ = 0;
  std::chrono::system_clock::time_point since_{};  // time of the last line
  std::unordered_map<std::string, Told> told_;
  std::string line_;  // the one being written
  std::string key_;   // scratch of write_series()
  BackendHealth health_;
};

}  // namespace flowtap::stats
