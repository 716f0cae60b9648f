// Where in the journal the bytes of each stream stand, and what is known of the stream. It is kept in memory, and a start reads
// it from the segments again. It is not thread-safe: Journal guards it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "stream/journal/journal_batch.hpp"
#include "stream/journal/journal_segment.hpp"

namespace flowtap::flow {

/// A run of a stream's bytes: `length` of them from `offset` on, in the entries of this stream that stand in the segment
/// from `at` on. Entries of other streams do not interrupt a run, so runs of several streams sort by (segment, at) into
/// the order in which they were captured.
struct Extent {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::uint32_t segment = 0;  ///< 0: the journal could not be written; these bytes are nowhere
  std::uint32_t at = 0;
  std::uint32_t size = 0;  ///< of the entries, with all that stands between them

  [[nodiscard]] std::uint64_t end() const { return offset + length; }
};
static_assert(sizeof(Extent) == 24, "one of these for each run: memory");

struct Stream {
  StreamSums sums;
  std::shared_ptr<const StreamName> name;  ///< empty: not known yet
  std::vector<Extent> extents;             ///< by offset, without overlap
  std::uint64_t held = 0;                  ///< bytes in the extents that can be read
  std::uint64_t evicted_to = 0;  ///< bytes before it that are in no extent were evicted, or lost before that
  std::uint64_t missed_from =
      0;  ///< what is missing from here to missed_to will not come, as the last MissedEntry says
  std::uint64_t missed_to = 0;
  bool broke_off = false;          ///< as a MissedEntry of no bytes says
  std::uint64_t batch = 0;         ///< number of the last batch with bytes of it
  std::uint64_t settled = 0;       ///< `passed` before that batch: a gap behind it may still be filled
  std::uint32_t mentioned_in = 0;  ///< the last segment that says something of it; 0: none does
  bool disordered = false;  ///< some extent does not stand in the order of the segments: it was overtaken
  bool unstated = false;    ///< the journal does not know all of it: a write failed, a segment had to go
};

class JournalIndex {
 public:
  struct SegmentNode {
    Segment::Ptr file;
    std::vector<StreamNo> mentions;  ///< each stream that it says something of, once
    StreamNo tail = 0;               ///< the stream of its last entry with bytes
    std::uint64_t entered = 0;       ///< of the file: entries up to there are in the index
  };
  struct RingNode {
    std::uint64_t ring = 0;
    RingPosition position = 0;
    std::uint32_t mentioned_in = 0;
  };

  void add_segment(Segment::Ptr file) { segments_.push_back({.file = std::move(file), .mentions = {}}); }
  [[nodiscard]] std::deque<SegmentNode>& segments() { return segments_; }
  [[nodiscard]] const std::deque<SegmentNode>& segments() const { return segments_; }
  [[nodiscard]] const SegmentNode* segment(std::uint32_t number) const;

  /// Enters the entries of a batch that stands in the last segment, its entries from `at` on.
  void apply(std::uint64_t batch, std::span<const std::byte> entries, std::size_t at);
  /// Enters a batch that could not be written: its bytes were captured and are nowhere.
  void apply_unwritten(std::uint64_t batch, const Batch& unwritten);
  /// Notes that the last segment says something of this stream, or of this ring, that does not change what is known.
  void mention(StreamNo number);
  void enter_position(const PositionEntry& entry);

  /// Takes the oldest segment out. Streams that ended are forgotten once nothing is left of them.
  Segment::Ptr evict_oldest();

  [[nodiscard]] const Stream* find(StreamNo number) const;
  [[nodiscard]] const std::unordered_map<StreamNo, Stream>& streams() const { return streams_; }
  [[nodiscard]] const std::vector<RingNode>& rings() const { return rings_; }
  /// Streams whose state must be written anew. Some may have been forgotten since.
  [[nodiscard]] const std::vector<StreamNo>& unstated() const { return unstated_; }
  /// The states of these are written now.
  void stated(std::span<const StreamNo> numbers);
  void set_unstated(StreamNo number);
  /// Number of the last batch that was entered.
  [[nodiscard]] std::uint64_t batch() const { return batch_; }
  /// Streams that are known and ended.
  [[nodiscard]] std::size_t ended() const { return ended_; }
  /// Memory in use, roughly.
  [[nodiscard]] std::uint64_t memory() const;
  [[nodiscard]] std::uint64_t extents() const;

 private:
  struct Place {
    std::uint32_t segment = 0;
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };

  Stream& touch(StreamNo number);
  void enter(const EntryView& view, Place place);
  void enter_bytes(const BytesEntry& entry, Place place);
  void enter_state(const StateEntry& entry);
  void set_ended(StreamSums& sums, bool ended);
  void forget(std::unordered_map<StreamNo, Stream>::iterator at);
  void insert(Stream& stream, const BytesEntry& entry, Place place, bool follows);
  void drop_extents(Stream& stream, std::uint32_t segment);
  void forget_surplus();

  std::deque<SegmentNode> segments_;
  std::unordered_map<StreamNo, Stream> streams_;
  std::vector<RingNode> rings_;
  std::vector<StreamNo> unstated_;
  std::uint64_t batch_ = 0;
  std::size_t ended_ = 0;
  StreamNo latest_number_ = 0;  // the stream of the last entry: entries come in runs
  Stream* latest_ = nullptr;
};

}  // namespace flowtap::flow
