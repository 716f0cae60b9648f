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

/// A place in a source. It only grows, and the bytes before it need not be read again.
using RingPosition = std::uint64_t;

/// CLOCK_REALTIME - CLOCK_MONOTONIC in ns. It turns the times of records into those of people.
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

  /// Gives the records that are there now behind `from`, which is position() or what this function has returned. They stay
  /// to be drained. Returns the position behind the last one. A source that cannot look ahead gives none.
  [[nodiscard]] virtual Result<RingPosition> look_ahead(
      RingPosition from, const std::function<void(std::span<const std::byte>)>& /*take*/) const {
    return from;
  }

  /// Where the next drain() begins.
  [[nodiscard]] virtual RingPosition position() const = 0;

  /// The place behind all that is there now, whether it may be drained yet or not. A source that cannot tell has nothing more.
  [[nodiscard]] virtual RingPosition head() const { return position(); }

  /// What waits to be drained, and how much the source can hold, in bytes. A source that cannot overflow has no capacity.
  struct Fill {
    std::uint64_t held = 0;
    std::uint64_t capacity = 0;
  };
  [[nodiscard]] virtual Fill fill() const { return {}; }

  /// Says that all before `position` is safe, so that the room is the producer's again. This also skips what a journal already
  /// has.
  virtual void commit(RingPosition position) = 0;

  /// Waits until there may be records, `longest` has passed, or interrupt() was called. False: the source has ended and
  /// nothing more will ever come (a file; a kernel's ring never ends).
  [[nodiscard]] virtual bool wait(std::chrono::milliseconds longest) = 0;

  /// Ends a wait() now or the next one.
  virtual void interrupt() = 0;
};

}  // namespace flowtap::flow
