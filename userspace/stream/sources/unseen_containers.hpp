// Containers that the programs have not seen begin: those that ran before the log tap, and those whose exec or slot was missed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

#include "base/result.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {

/// Used by one thread.
class UnseenContainers {
 public:
  using Begun =
      std::map<flow::StreamNo, std::uint64_t>;  ///< streams, and since when each is captured (ns since 1970)

  /// All must outlive it. `files` may be null: nothing is found. `tell` is told of what is captured from now on.
  UnseenContainers(const kernel::OpenFiles* files, StreamSlots& slots, const flow::Journal& journal,
                   flow::LogConsumer& consumer, std::function<void(const Begun&)> tell)
      : files_(files), slots_(slots), journal_(journal), consumer_(consumer), tell_(std::move(tell)) {}

  /// Captures all that run. An Error: open files cannot be listed now.
  [[nodiscard]] Status find() { return find(std::chrono::nanoseconds(0)); }
  /// Captures those that were missed meanwhile, if there may be some and it is time to look. `exec_misses`: how many execs the
  /// kernel has kept from the program so far. True: it has looked.
  bool look_around(std::uint64_t exec_misses);

 private:
  using Clock = std::chrono::steady_clock;

  /// Captures what is older than `youngest`.
  [[nodiscard]] Status find(std::chrono::nanoseconds youngest);

  const kernel::OpenFiles* files_;
  StreamSlots& slots_;
  const flow::Journal& journal_;
  flow::LogConsumer& consumer_;
  std::function<void(const Begun&)> tell_;
  std::uint64_t exec_misses_ = 0;  // at the last look
  std::uint64_t refused_ = 0;      // streams that found no slot
  int missed_looks_ = 0;           // looks that are due for what began then
  Clock::time_point next_look_{};
  Clock::duration pause_ = std::chrono::seconds(1);
  bool no_slot_ = false;  // there was none for something that the last look found
};

}  // namespace flowtap
