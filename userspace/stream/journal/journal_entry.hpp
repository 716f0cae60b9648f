// What a journal holds: a row of entries, each with its kind and size before it, so that a reader can pass over what it
// does not look for.
//
//   segment = head, batch...        batch = BATCH entry (length, checksum, number), entry...
//
// Numbers stand in host byte order, without padding. A batch is whole or does not count.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/records/record.hpp"
#include "kernel/records/record_source.hpp"

namespace flowtap::flow {

/// Whether the bytes of an output become those of its stream. The numbers stand in journals.
enum class Capture : std::uint8_t {
  kTaken = 0,
  kNot = 1,        ///< nothing passes there, or it cannot be seen: the stream stays empty
  kElsewhere = 2,  ///< its place was another container's before, and the bytes are in that flow
};

/// Whose a stream is. Strings are kept as they are given.
struct StreamName {
  std::string flow;      ///< the flow's id
  std::string output;    ///< "stdout" or "stderr"
  std::string identity;  ///< JSON that the journal does not look into
  std::uint64_t inode = 0;
  std::uint32_t device = 0;
  ftap_log_kind kind = FTAP_KIND_NONE;
  Capture capture = Capture::kTaken;
  bool operator==(const StreamName&) const = default;
};

/// Bytes of a stream. As in a record, but the time is the wall clock's.
struct BytesEntry {
  StreamNo stream = 0;
  std::uint64_t offset = 0;
  std::uint64_t time = 0;      ///< ns since 1970
  std::uint64_t position = 0;  ///< in the file, where the stream is a regular file
  std::span<const std::byte> bytes;
};

struct StreamEntry {
  StreamNo stream = 0;
  StreamName name;
};

struct EndEntry {
  StreamNo stream = 0;
  std::uint64_t passed = 0;
  std::uint64_t time = 0;  ///< ns since 1970
  std::array<std::uint64_t, FTAP_NR_LOSSES> lost{};
};

/// What passed between `from` and `to` and is not in this journal will not come. It passed while another journal was in use, or was in this one
/// before somebody emptied it. With `from` == `to`, the capture broke off there, and nobody knows how much passed until the stream
/// ended.
struct MissedEntry {
  StreamNo stream = 0;
  std::uint64_t from = 0;  ///< offsets
  std::uint64_t to = 0;
  std::uint64_t time = 0;  ///< ns since 1970
};

/// All that is known of a stream's bytes before this entry, so that the segments before it can go.
struct StreamSums {
  std::uint64_t captured = 0;   ///< bytes that came out of the ring, also those that were evicted since
  std::uint64_t unwritten = 0;  ///< of those, bytes that could not be written
  std::uint64_t passed = 0;     ///< bytes in all, as far as known: the highest offset seen, or what END says
  std::uint64_t first = 0;      ///< time of the first bytes; 0: there were none
  std::uint64_t last = 0;       ///< time of the last ones
  bool ended = false;
  std::array<std::uint64_t, FTAP_NR_LOSSES> lost{};  ///< by cause, known at the end

  /// Bytes that passed and were not captured. What was evicted, or not written, is not missing.
  [[nodiscard]] std::uint64_t missing() const { return passed > captured ? passed - captured : 0; }
  bool operator==(const StreamSums&) const = default;
};

struct StateEntry {
  StreamNo stream = 0;
  StreamSums sums;
};

/// Says that the ring was drained up to here when the batch was written.
struct PositionEntry {
  std::uint64_t ring = 0;  ///< ring_hash() of its id
  RingPosition position = 0;
};

enum class EntryKind : std::uint16_t {
  kBatch = 1,
  kBytes = 2,
  kFileBytes = 3,
  kStream = 4,
  kState = 5,
  kEnd = 6,
  kPosition = 7,
  kMissed = 8,
};

struct EntryHead {
  std::uint16_t kind = 0;
  std::uint16_t mark = 0;  // of a BATCH: kBatchMark, else 0
  std::uint32_t size = 0;  // of the body behind it
};
static_assert(sizeof(EntryHead) == 8);

/// One entry where it stands.
struct EntryView {
  EntryKind kind{};
  std::size_t at = 0;    ///< of its head, in the bytes that are walked
  std::size_t size = 0;  ///< with its head
  std::span<const std::byte> body;
};

/// Walks the entries of `bytes` in order. Ends at the last whole one.
class EntryWalk {
 public:
  explicit EntryWalk(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::optional<EntryView> next();
  /// The place behind the last entry that next() gave.
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

/// The entry of this kind, or nothing if the body does not fit it.
[[nodiscard]] std::optional<BytesEntry> bytes_entry(const EntryView& view);
[[nodiscard]] std::optional<StreamEntry> stream_entry(const EntryView& view);
[[nodiscard]] std::optional<StateEntry> state_entry(const EntryView& view);
[[nodiscard]] std::optional<EndEntry> end_entry(const EntryView& view);
[[nodiscard]] std::optional<PositionEntry> position_entry(const EntryView& view);
[[nodiscard]] std::optional<MissedEntry> missed_entry(const EntryView& view);

void put(std::vector<std::byte>& out, const BytesEntry& entry);
void put(std::vector<std::byte>& out, const StreamEntry& entry);
void put(std::vector<std::byte>& out, const StateEntry& entry);
void put(std::vector<std::byte>& out, const EndEntry& entry);
void put(std::vector<std::byte>& out, const PositionEntry& entry);
void put(std::vector<std::byte>& out, const MissedEntry& entry);

/// An FNV-1a hash, by which a journal knows a ring: it takes 16 bytes a batch instead of the ring's name.
[[nodiscard]] std::uint64_t ring_hash(std::string_view ring_id);

}  // namespace flowtap::flow
