// The journal: what came out of the ring, on a file system that outlives this process. It stands between the ring and everything
// else: a batch is drained, appended here in one write, and only then freed in the ring. So kill -9 at any moment loses nothing
// and doubles nothing:
//
//   killed before the append is whole   the next start cuts the torn end off; the ring still has the batch
//   killed after it, before the commit  position_of(ring) is ahead of the ring's own position: skip up to there
//
// The journal is bounded: the oldest segments make room. A journal that cannot be written costs crash safety and old bytes,
// nothing else: append() says why, counts it, and tries anew with the next batch.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stream/journal/follower.hpp"
#include "stream/journal/journal_batch.hpp"
#include "stream/journal/journal_index.hpp"
#include "stream/journal/journal_reading.hpp"
#include "stream/journal/journal_replay.hpp"

namespace flowtap::flow {

struct JournalOptions {
  std::string dir;  ///< made if it is not there; its parent is not
  std::uint64_t max_bytes = std::uint64_t{48} << 20U;
  std::uint64_t segment_bytes = std::uint64_t{4}
                                << 20U;  ///< what is freed at once; at most a quarter of max_bytes
  /// How many ended streams are kept. If there are more, the oldest segments go, and the streams with them; what the taker has not
  /// taken goes at twice as many. Streams that have not ended are always kept; it is for the caller to end them.
  std::size_t max_ended = 32'768;
};

enum class JournalFailure : std::uint8_t { kNoSpace, kIo, kReadOnly, kGone, kTooLarge, kOther };
constexpr std::size_t kJournalFailures = 6;
/// "no_space": the cause as a label.
[[nodiscard]] std::string_view to_string(JournalFailure failure);

struct JournalStats {
  std::uint64_t batches = 0;  ///< appended by this process
  std::uint64_t bytes = 0;    ///< written for them
  std::array<std::uint64_t, kJournalFailures> failures{};
  std::uint64_t unwritten_batches = 0;  ///< those that are not in a segment
  std::uint64_t removed_under_us = 0;   ///< segments that somebody else removed while they were written to
  std::uint64_t evicted_segments = 0;
  std::uint64_t evicted_bytes = 0;  ///< of those segments
  std::uint64_t segments = 0;       ///< now, and all that follows
  std::uint64_t held_bytes = 0;     ///< on the file system
  std::uint64_t streams = 0;
  std::uint64_t extents = 0;
  std::uint64_t index_memory = 0;  ///< bytes, about
  std::string last_error;          ///< empty: the last append succeeded
};

/// A stream as the journal knows it.
struct StreamView {
  StreamNo number = 0;
  std::shared_ptr<const StreamName> name;  ///< empty: not known yet
  StreamSums sums;
  std::uint64_t held = 0;  ///< bytes that can be read
  bool broke_off = false;  ///< its source went on when it ended
};

/// One thread appends; any thread reads. (One lock makes it safe, and is never held over a system call of a reader.)
class Journal {
 public:
  /// Reads what is there. Options that make no sense are an Error. A directory that cannot be read or made is none: replayed()
  /// says it, and append() says it again.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(JournalOptions options);

  [[nodiscard]] const Replayed& replayed() const { return replayed_; }

  /// How far this ring is safe here. Nothing: the journal knows nothing of it, as after a boot.
  [[nodiscard]] std::optional<RingPosition> position_of(std::string_view ring_id) const;

  /// Appends a batch in one write. After an Error its bytes are in no segment and not safe, but are counted as captured. Readers
  /// get a gap of MissingCause::kUnwritten. The caller may free them in the ring all the same, and does, so that the ring does not
  /// fill.
  Status append(const Batch& batch);

  /// Reads at most `limit` bytes from the cursors on, merged in the order of capture. A stream that is not known has ended and
  /// was forgotten with its last segment: it has nothing more to give, and holds up no other.
  [[nodiscard]] Reading read(std::span<const StreamCursor> from, std::uint64_t limit) const;
  /// The same of one stream; an Error if it is not known.
  [[nodiscard]] Result<Reading> read(StreamNo stream, std::uint64_t from, std::uint64_t limit) const;

  /// Reads whole batches from a place on, about `limit` bytes of them and at least one. An Error costs what stands in that
  /// segment: go on behind it. `room` is that of an earlier tail.
  [[nodiscard]] Result<JournalTail> tail(JournalPlace from, std::size_t limit,
                                         std::vector<std::byte> room = {}) const;
  /// The entries of a batch that could not be written, for a taker that has read all that was written before it. A file system
  /// that fails thus does not stop what follows. Each batch is given once. Nothing: there is none for now. The latest
  /// kMostUnwritten bytes of such batches are kept.
  [[nodiscard]] std::vector<std::byte> take_unwritten(JournalPlace reached);
  static constexpr std::size_t kMostUnwritten = std::size_t{4} << 20U;
  /// Says how far the taker of the whole journal has read. If the file system is full, what it has not read is kept, and it gets
  /// the newest batch as one that could not be written.
  void taken(JournalPlace place);
  /// Bytes that the taker does not have yet; 0 if nobody takes all.
  [[nodiscard]] std::uint64_t untaken() const;
  /// How many these may be before an append: another one of a drain of the ring (1 MiB) then gives up none of them.
  [[nodiscard]] std::uint64_t most_untaken() const;
  /// How far the taker has read. Nothing: nobody takes all.
  [[nodiscard]] std::optional<JournalPlace> taken_to() const;
  /// When the oldest bytes came that the taker does not have yet (ns since 1970). Nothing: there are none.
  [[nodiscard]] std::optional<std::uint64_t> untaken_since() const;
  [[nodiscard]] std::uint64_t max_bytes() const { return options_.max_bytes; }
  /// The first place of the segment behind this one.
  [[nodiscard]] static JournalPlace skip(JournalPlace place) { return {place.segment + 1, 0}; }

  /// Removes the oldest segments until this many bytes are free, but not the last one, which holds the rings' positions. Returns
  /// how many it removed. For the appender's thread.
  std::uint64_t give_up(std::uint64_t bytes);

  [[nodiscard]] std::vector<StreamView> streams() const;
  /// The streams that have the name of this flow. Whoever asks for one flow need not take the streams of all.
  [[nodiscard]] std::vector<StreamView> streams_of(std::string_view flow) const;
  [[nodiscard]] std::optional<StreamView> stream(StreamNo number) const;

  /// A follower of these streams, or of all if none are named. It is told after each append, also of what could not be written.
  [[nodiscard]] Result<std::shared_ptr<Follower>> follow(std::vector<StreamNo> streams = {},
                                                         Followers::Hurry hurry = Followers::Hurry::kYes);
  /// The same for one flow's streams, also for those that join it later.
  [[nodiscard]] Result<std::shared_ptr<Follower>> follow_flow(std::string flow);

  /// How many follow and are in a hurry.
  [[nodiscard]] std::size_t followers() const { return followers_.in_hurry(); }

  [[nodiscard]] JournalStats stats() const;

 private:
  /// What one append writes, and what it removes when it is written.
  struct Plan {
    std::vector<StreamNo> states;    // streams whose names and sums go before the batch
    std::vector<std::byte> preface;  // these, and the rings' positions
    std::size_t victims = 0;         // oldest segments that are to go
  };

  explicit Journal(JournalOptions options) : options_(std::move(options)) {}

  Status write(const Batch& batch, std::uint64_t number);
  Status write_once(const Batch& batch, std::uint64_t number);
  Status ready_segment(std::size_t bytes);
  Status create_segment();
  void abandon_segment();
  [[nodiscard]] Plan plan(const Batch& batch) const;
  [[nodiscard]] std::size_t choose_victims(std::uint64_t bytes) const;
  bool make_room();
  [[nodiscard]] bool is_oldest_taken() const;
  void remove_aside();
  void evict(std::size_t segments);
  void count_failure(const Error& error);
  void keep_unwritten(const Batch& batch);

  const JournalOptions options_;
  Replayed replayed_;
  Followers followers_;

  // Only the appender changes these, and does so under the lock, so it reads them without it.
  mutable std::mutex mutex_;
  JournalIndex index_;
  JournalStats stats_;
  struct Unwritten {
    JournalPlace behind;  // where the journal ended then
    std::vector<std::byte> entries;
  };
  std::deque<Unwritten> unwritten_;
  std::size_t unwritten_bytes_ = 0;
  std::optional<JournalPlace> taken_;

  // Only the appender uses these.
  std::vector<SetAside> aside_;
  bool appendable_ = false;  // the last segment can be continued
  std::uint64_t held_ = 0;   // bytes of all segments, those set aside too
  std::uint32_t last_number_ = 0;
};

}  // namespace flowtap::flow
