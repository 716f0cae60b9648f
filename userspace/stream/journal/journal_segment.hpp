// One file of a journal.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "stream/journal/journal_entry.hpp"

namespace flowtap::flow {

constexpr std::array<char, 8> kSegmentMagic{'F', 'T', 'A', 'P', 'J', 'N', 'L', '\n'};
constexpr std::uint32_t kJournalVersion = 1;
constexpr std::uint16_t kBatchMark = 0xB7A5;
/// Extents count in 32 bits, and a segment is read whole at the start.
constexpr std::uint64_t kMaxSegment = std::uint64_t{256} << 20U;

struct RawSegmentHead {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t size;  // of this head
  std::uint32_t number;
  std::uint32_t crc;  // of all before it
};
static_assert(sizeof(RawSegmentHead) == 24);

/// Behind the EntryHead of a BATCH.
struct RawBatch {
  std::uint32_t size;  // of the entries behind it
  std::uint32_t crc;   // of this with crc 0, and of the entries
  std::uint64_t number;
};
static_assert(sizeof(RawBatch) == 16);
constexpr std::size_t kBatchHead = sizeof(EntryHead) + sizeof(RawBatch);

/// Head and checksum of a batch whose entries are `parts`, one behind the other.
[[nodiscard]] std::array<std::byte, kBatchHead> batch_head(std::uint64_t number,
                                                           std::span<const std::span<const std::byte>> parts);

struct BatchView {
  std::uint64_t number = 0;
  std::size_t entries_at = 0;  ///< in the bytes that were given
  std::span<const std::byte> entries;
};

/// The batch that begins at `at`. Nothing: its checksum does not fit, or an entry that this build knows is broken.
[[nodiscard]] std::optional<BatchView> batch_at(std::span<const std::byte> bytes, std::size_t at);

/// The file, which is open for as long as somebody reads it: a segment that is removed meanwhile stays readable.
class Segment {
 public:
  using Ptr = std::shared_ptr<Segment>;

  /// A new file with its head. ENOENT: the directory is gone.
  [[nodiscard]] static Result<Ptr> create(const std::string& dir, std::uint32_t number);
  /// A file that is there, to be read and continued.
  [[nodiscard]] static Result<Ptr> open(const std::string& path, std::uint32_t number);

  /// "0000002a.seg"
  [[nodiscard]] static std::string file_name(std::uint32_t number);
  [[nodiscard]] static std::optional<std::uint32_t> number_of(std::string_view file_name);

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// How many bytes count. Only the appender changes it.
  [[nodiscard]] std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }

  /// Makes one write behind the last one. After an Error the segment ends where it ended before, unless it is_broken().
  [[nodiscard]] Status append(std::span<const std::span<const std::byte>> parts);
  /// What a failed write left behind could not be cut off, so nothing must be appended any more.
  [[nodiscard]] bool is_broken() const { return broken_; }
  /// Cuts off everything from `size` on.
  [[nodiscard]] Status truncate(std::uint64_t size);
  /// Nobody will find this file again, so what is appended would be lost with this process.
  [[nodiscard]] bool is_unlinked() const;
  void remove();

  [[nodiscard]] Result<std::size_t> read(std::uint64_t at, std::span<std::byte> into) const;

 private:
  Segment(Fd fd, std::string path, std::uint32_t number, std::uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), number_(number), size_(size) {}

  Fd fd_;
  std::string path_;
  std::uint32_t number_;
  std::atomic<std::uint64_t> size_;
  bool broken_ = false;
};

/// What the head of a segment says.
enum class SegmentHeadState : std::uint8_t { kOurs, kOtherVersion, kBroken };
[[nodiscard]] SegmentHeadState look_at_head(std::span<const std::byte> bytes);

}  // namespace flowtap::flow
