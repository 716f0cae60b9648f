// spectatord (Netflix): totals as monotonic counters.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "stats/backend.hpp"
#include "stats/backends/sample.hpp"
#include "stats/backends/sending/datagram.hpp"
#include "stats/backends/spectatord_base.hpp"

namespace flowtap::stats {

struct SpectatordOptions {
  std::string prefix;     ///< stands before every name
  std::string base_file;  ///< keeps the values over our restart; empty: they are not kept
  /// The time for which a counter stays at its first value. spectatord flushes every 5 s, and takes the value at the
  /// first flush as the beginning, so a count that arrives sooner would be swallowed. This is two flushes and a second.
  std::chrono::milliseconds settle{11'000};
  std::size_t max_pending = 100'000;  ///< counters that are kept; updates of any more are lost
};

/// Counters as `U:dispatched_tasks_total,scheduler=kernel,type=wsync:12`, those measured in fractions
/// (seconds) as `C`, the same with a double. Gauges are sent as `g,60:`, so that a gauge that cannot be read any more
/// ends within a minute. A histogram becomes counters: `NAME_bucket` with `le`, cumulative, `NAME_count` and
/// `NAME_sum`.
///
/// Our restart. `U` reads a decrease as a roll-over of 2^64, `MonotonicCounterUint::Delta()`: max - previous
/// + current
/// + 1. Versions without its overflow check report that number; later ones report 0 above 2^63, which loses
/// what was counted in that flush. (Netflix-Skunkworks/spectatord, spectator/monotonic_counter_uint.cc at
/// 37cb0c1 without and at 882b948 with the check; `C` drops a decrease, spectator/monotonic_counter.cc at
/// 6f0165f.) So the values never decrease: they go on from those in the base file, which is written before
/// each send. A value that was written and not sent consists of real counts, and the receiver gets it as the first one
/// after the restart.
///
/// The receiver's restart. The same file shows that the first flush reports nothing: it takes the value that it finds
/// as the beginning (`init_`). After each new connection, every counter therefore stays at the value that was last sent
/// for the time of `settle`, and then goes on.
///
/// Without a usable base file the values begin at 0, and a spectatord that was not restarted sees one decrease. That
/// flush passes within the settle time, before anything new is counted. So it swallows none of our counts, and only a
/// spectatord without the overflow check invents any.
class Spectatord : public Backend {
 public:
  Spectatord(SpectatordOptions options, std::unique_ptr<Packets> packets);

  [[nodiscard]] std::string name() const override { return "spectatord"; }
  void begin_at(const Snapshot& snapshot) override;
  Status publish(const SnapshotPtr& snapshot) override;
  [[nodiscard]] BackendHealth health() const override { return health_; }

 private:
  using Instant = std::chrono::steady_clock::time_point;

  struct Counter {
    Counter(std::string h, SampleKind k) : head(std::move(h)), kind(k) {}

    std::string head;  // up to and with ':'
    SampleKind kind;
    std::uint64_t base = 0;             // counts of earlier processes, and from before the source began again
    std::uint64_t total = 0;            // of this process
    std::uint64_t sent = 0;             // the value that the receiver has, or begins with
    std::uint64_t generation = 0;       // the connection that `held_since` belongs to
    std::optional<Instant> held_since;  // when the first value was taken
    std::optional<Instant> sent_at;
    bool seen = false;        // in this snapshot
    std::uint64_t fresh = 0;  // its total there

    [[nodiscard]] std::uint64_t now() const { return base + total; }
  };

  void take(const Snapshot& snapshot);
  void take_counter(const Sample& sample);
  Status persist();
  bool deliver(Instant now);
  [[nodiscard]] std::optional<std::uint64_t> due(Counter& counter, Instant now) const;
  bool send_counters(Instant now);
  bool send_gauges();

  SpectatordOptions options_;
  std::unique_ptr<Packets> packets_;
  BaseValues base_;  // the values in the file
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<Counter> counters_;
  std::vector<std::string> gauges_;  // this cycle's lines
  bool first_ = true;                // no snapshot was seen yet
  std::size_t cursor_ = 0;           // the counter at which a cycle was cut short
  BackendHealth health_;
};

/// A line's text up to and with the ':' before its value; exposed for tests of the format.
[[nodiscard]] std::string spectatord_head(const Sample& sample, std::string_view prefix);

}  // namespace flowtap::stats
