// The ring of another build is emptied, with what takes its bytes at the other end of the journal in view.
#pragma once

#include <chrono>
#include <functional>

#include "stream/journal/consumer/log_consumer.hpp"

namespace flowtap {

class RingDrain {
 public:
  using Clock = std::chrono::steady_clock;

  /// All must outlive it.
  RingDrain(flow::LogConsumer& consumer, const flow::RecordSource& ring, const flow::Journal& journal,
            std::function<Clock::time_point()> now = Clock::now)
      : consumer_(consumer), ring_(ring), journal_(journal), now_(std::move(now)) {}

  /// Drains while the ring gets emptier, until little waits in it and all streams have their names. Its programs may fill it: if they
  /// are as fast as the lines' thread, it ends with a ring that still has room for as much as its consumer leaves free.
  void nearly();
  /// Nothing comes into the ring: drains all, however long that takes on a busy machine. What stays would be in no flow, and missing
  /// in none, until the next start.
  void all();

 private:
  [[nodiscard]] std::uint64_t backlog() const { return ring_.head() - ring_.position(); }
  [[nodiscard]] bool waits_for_names(Clock::time_point begin) const;

  flow::LogConsumer& consumer_;
  const flow::RecordSource& ring_;
  const flow::Journal& journal_;
  std::function<Clock::time_point()> now_;
};

}  // namespace flowtap
