// Where the log tap's records come from: the running kernel's ring, a recorded file, or a test's script.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.hpp"

namespace flowtap::flow {

/// A place in a source. Only grows; the bytes before it need not be read again.
using RingPosition = std::uint64_t;

/// ns; CLOCK_REALTIME - CLOCK_MONOTONIC, by which the times of records become those of people.
[[nodiscard]] std::int64_t wall_offset();

/// One reader, one thread; only interrupt() may be called from another.
class RecordSource {
 public:
  RecordSource() = default;
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;
  virtual ~RecordSource() = default;

  /// Tells this ring from every other, also across restarts of the service: a journal names the ring that its positions
  /// belong to.
  [[nodiscard]] virtual std::string ring_id() const = 0;

  /// Gives the raw bytes of the records that are there now, oldest first and whole, to `take`, until about `limit` bytes
  /// were given. Nothing is freed: until commit() the same records come again. Returns the position behind the last one.
  [[nodiscard]] virtual Result<RingPosition> drain(
      std::size_t limit, const std::function<void(std::span<const std::byte>)>& take) = 0;

  /// Where the next drain() begins.
  [[nodiscard]] virtual RingPosition position() const = 0;

  /// Behind all that is there now, whether it may be drained yet or not. A source that cannot tell has nothing more.
  [[nodiscard]] virtual RingPosition head() const { return position(); }

  /// How much of it waits to be drained, of all that it can hold: 0 to 1. Of a source that cannot overflow 0.
  [[nodiscard]] virtual double fill() const { return 0; }

  /// All before `position` is safe: the room is the producer's again. Also the way to skip what a journal already has.
  virtual void commit(RingPosition position) = 0;

  /// Waits until there may be records, `longest` has passed, or interrupt() was called. False: the source has ended and
  /// nothing more will ever come (a file; a kernel's ring never ends).
  [[nodiscard]] virtual bool wait(std::chrono::milliseconds longest) = 0;

  /// Ends a wait() now or the next one.
  virtual void interrupt() = 0;
};

}  // namespace flowtap::flow
