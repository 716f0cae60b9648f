// What is appended to a journal at once: all that one drain of the ring gave, and how far it was drained.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "stream/journal/journal_entry.hpp"

namespace flowtap::flow {

/// Bytes are copied once, into the row that is written. Reuse one batch: clear() keeps its memory.
class Batch {
 public:
  /// Adds nothing if there are no bytes. Records over kMaxEntry are split, so that no reader has to take much at once.
  void add(const BytesEntry& entry);
  void add(const EndEntry& entry);
  void add(const MissedEntry& entry);
  /// For a stream of which more has passed than the journal knows of, and was lost.
  void add(const StateEntry& entry);
  /// Says whose a stream is, once, when it is known. It may be corrected later; the latest counts.
  void add(const StreamEntry& entry);
  /// The ring's position behind all that was added. The latest counts.
  void set_position(std::string_view ring_id, RingPosition position);
  void clear();

  [[nodiscard]] bool empty() const { return entries_.empty() && !position_; }
  [[nodiscard]] std::span<const std::byte> entries() const { return entries_; }
  [[nodiscard]] const std::optional<PositionEntry>& position() const { return position_; }
  /// The streams that the batch is about, each once.
  [[nodiscard]] const std::vector<StreamNo>& streams() const { return streams_; }
  /// The streams that it names, with their names.
  [[nodiscard]] const std::vector<StreamEntry>& named() const { return named_; }

  static constexpr std::size_t kMaxEntry = std::size_t{64} << 10U;

 private:
  void note(StreamNo stream);

  std::vector<std::byte> entries_;
  std::optional<PositionEntry> position_;
  std::vector<StreamNo> streams_;
  std::vector<StreamEntry> named_;
  std::unordered_set<StreamNo> seen_;
  StreamNo latest_ = 0;
};

}  // namespace flowtap::flow
