// What a reader of a journal gets: bytes in the order of their streams, and each gap where it is.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stream/journal/journal_index.hpp"
#include "stream/lines/missing_cause.hpp"

namespace flowtap::flow {

/// Where a reader stands in a stream.
struct StreamCursor {
  StreamNo stream = 0;
  std::uint64_t next = 0;  ///< offset of the first byte that it does not have
  bool operator==(const StreamCursor&) const = default;
};

/// One record, or the part of it that was asked for; or a gap.
struct Piece {
  StreamNo stream = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::optional<MissingCause> gap;  ///< empty: these are bytes; kUnknown: they passed and were not captured
  std::uint64_t time = 0;           ///< ns since 1970; of bytes
  std::uint64_t position = 0;       ///< in the file, where the stream is one
  std::size_t at = 0;               ///< in Reading::bytes
  /// Of a gap: what stands behind it came with the last batch, so its bytes may still come. The reader decides how long it waits,
  /// and passes over them by a cursor of its own.
  bool may_come = false;
};

struct Reading {
  std::string bytes;  ///< of all pieces, one behind the other
  std::vector<Piece> pieces;
  std::vector<StreamCursor> next;  ///< where to go on: behind all but gaps that may come
  bool ended = false;              ///< every stream has ended, and nothing more will ever come

  [[nodiscard]] std::string_view text(const Piece& piece) const {
    return piece.gap ? std::string_view{} : std::string_view(bytes).substr(piece.at, piece.length);
  }
};

/// Most pieces of one reading: records may be as small as a byte.
constexpr std::size_t kMaxPieces = 16'384;

/// One step of a reading, found in the index and done without it.
struct ReadStep {
  Piece piece;           ///< what to give; for bytes only stream, offset and length are set
  Segment::Ptr segment;  ///< of bytes; keeps the file open
  Extent extent;
};

/// What to read from the cursors on, at most `limit` bytes. Streams are merged in the order of capture; the bytes of each
/// are in the order of their offsets. A stream that is not known has ended, and nothing of it is left: its last segment
/// went while the reader was on its way.
[[nodiscard]] std::vector<ReadStep> plan_reading(const JournalIndex& index,
                                                 std::span<const StreamCursor> from, std::uint64_t limit);

/// Does the steps.
[[nodiscard]] Reading do_reading(const std::vector<ReadStep>& steps, std::span<const StreamCursor> from);

/// The place behind some entry. Places of one journal are in order, also over restarts.
struct JournalPlace {
  std::uint32_t segment = 0;  ///< 0: before all there is
  std::uint64_t at = 0;       ///< in that segment
  auto operator<=>(const JournalPlace&) const = default;
};

/// Some entries in the order in which they were written, with those of kind BATCH, for whoever takes all of a journal.
struct JournalTail {
  std::span<const std::byte> entries;  ///< in `room`
  JournalPlace next;                   ///< where to go on
  bool evicted = false;  ///< entries before these may have had to make room before they were read
  bool end = false;      ///< there are no more now
  std::vector<std::byte> room =
      {};  ///< kept for the next ones: making it anew each time costs more than reading
};

}  // namespace flowtap::flow
