// StatsD and DogStatsD: sends the counts since this backend's last packet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "stats/backend.hpp"
#include "stats/backends/sample.hpp"
#include "stats/backends/sending/datagram.hpp"

namespace flowtap::stats {

struct StatsdOptions {
  std::string prefix;                 ///< stands before every name, as it is; "" or e.g. "node7."
  bool tags = false;                  ///< DogStatsD: labels as |#key:value, else as parts of the name
  std::size_t max_pending = 100'000;  ///< numbers kept for a receiver that is away
};

/// One line per number that changed:
///   plain      `dispatched_tasks_total.kernel.wsync:12|c`
///   DogStatsD  `dispatched_tasks_total:12|c|#scheduler:kernel,type:wsync`
/// A histogram becomes counters: `NAME_bucket` with `le` (plain: `NAME_bucket.kernel.le_0_001048576`),
/// cumulative, `NAME_count` and `NAME_sum`. Gauges are sent as they are. Plain StatsD reads a sign as a change, so a 0
/// is sent before a negative gauge. Bytes that the protocol cannot carry become '_'.
///
/// The receiver adds up deltas and remembers nothing about us, so our restart needs no care: it begins with deltas from
/// 0. Counts that a killed flowtapd had not sent are lost with its totals.
class Statsd : public Backend {
 public:
  Statsd(StatsdOptions options, std::unique_ptr<Packets> packets);

  [[nodiscard]] std::string name() const override { return options_.tags ? "dogstatsd" : "statsd"; }
  void begin_at(const Snapshot& snapshot) override;
  Status publish(const SnapshotPtr& snapshot) override;
  [[nodiscard]] BackendHealth health() const override;

  /// The number of lines that are remembered.
  [[nodiscard]] std::size_t tracked() const { return lines_.size(); }

 private:
  /// The state of one number at the receiver.
  struct Line {
    std::string head;  // up to and with ':'
    std::string tail;  // from '|' on
    SampleKind kind;
    std::uint64_t sent = 0;   // total that the receiver has
    std::uint64_t total = 0;  // total now
    double gauge = 0;         // value now
    std::uint64_t seen = 0;   // the publish() that saw it last
    bool due = false;         // to be sent
  };

  void take(const Snapshot& snapshot);
  void take(const Sample& sample);
  Line& line_of(const Sample& sample);
  void forget_absent();
  bool deliver();
  bool flush();
  [[nodiscard]] std::string text_of(const Line& line) const;
  void give_up_beyond_bound();

  StatsdOptions options_;
  std::unique_ptr<Packets> packets_;
  std::unordered_map<std::string, std::size_t> index_;  // series key → position in lines_
  std::vector<Line> lines_;
  std::string key_;         // scratch of line_of()
  std::size_t cursor_ = 0;  // the line at which a cycle was cut short
  std::uint64_t round_ = 0;
  BackendHealth health_;
};

/// The text of a series' line before and after its value; exposed for tests of the format.
struct StatsdFormat {
  std::string head;
  std::string tail;
};
[[nodiscard]] StatsdFormat statsd_format(const Sample& sample, const StatsdOptions& options);

}  // namespace flowtap::stats
