// A ring on file: what the kernel gave once, to be given again without it (bug reports, tests, benchmarks).
//
// The file: a header (when, on which boot and from which ring it was taken), then each record with its length before
// it. Numbers stand in host byte order.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "kernel/records/record_source.hpp"

namespace flowtap::flow {

/// No record of a ring is larger, so a greater length in a file is not believed.
constexpr std::size_t kMaxRecordedBytes = std::size_t{64} << 20U;

/// What the header of a recording says.
struct RecordingHeader {
  std::int64_t wall_offset = 0;  ///< ns; CLOCK_REALTIME - CLOCK_MONOTONIC when it was begun
  std::string boot_id;           ///< at most 40 bytes
  std::string ring_id;           ///< of the source that it was taken from; at most 128 bytes
  bool operator==(const RecordingHeader&) const = default;
};

/// Writes the records that it is given into a new file, up to a limit of its size. A record is in the file as a whole or
/// not at all; what is left out is counted.
class RingRecorder {
 public:
  /// Makes `path` (0600, it holds what people logged); an existing file is an error.
  [[nodiscard]] static Result<RingRecorder> create(const std::string& path, const RecordingHeader& header,
                                                   std::uint64_t max_bytes);

  /// Keeps a record for the next flush().
  void add(std::span<const std::byte> record);
  /// Writes what add() kept, in one call.
  void flush();

  struct Counts {
    std::uint64_t records = 0;   ///< in the file
    std::uint64_t bytes = 0;     ///< of the file
    std::uint64_t left_out = 0;  ///< records that are not in the file: the limit, or an error
    std::uint64_t errors = 0;    ///< writes that failed
    std::string last_error;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  RingRecorder(Fd fd, std::uint64_t max_bytes, std::uint64_t header_bytes);
  [[nodiscard]] Status write_pending();

  Fd fd_;
  std::uint64_t max_bytes_;
  std::vector<std::byte> pending_;
  std::uint64_t pending_records_ = 0;
  Counts counts_;
};

/// A source that also records all that passes through it: each record once, also if it is drained again because it was
/// not committed. Recording never holds up or fails what is recorded.
class RecordingSource final : public RecordSource {
 public:
  RecordingSource(std::unique_ptr<RecordSource> inner, RingRecorder recorder)
      : inner_(std::move(inner)), recorder_(std::move(recorder)) {}

  [[nodiscard]] std::string ring_id() const override { return inner_->ring_id(); }
  [[nodiscard]] Result<RingPosition> drain(
      std::size_t limit, const std::function<void(std::span<const std::byte>)>& take) override;
  [[nodiscard]] Result<RingPosition> look_ahead(
      RingPosition from, const std::function<void(std::span<const std::byte>)>& take) const override {
    return inner_->look_ahead(from, take);
  }
  [[nodiscard]] RingPosition position() const override { return inner_->position(); }
  [[nodiscard]] RingPosition head() const override { return inner_->head(); }
  [[nodiscard]] Fill fill() const override { return inner_->fill(); }
  void commit(RingPosition position) override;
  [[nodiscard]] bool wait(std::chrono::milliseconds longest) override { return inner_->wait(longest); }
  void interrupt() override { inner_->interrupt(); }

  /// For the thread that drains.
  [[nodiscard]] const RingRecorder::Counts& counts() const { return recorder_.counts(); }
  /// Why the file ends before what has passed; absent: it does not. Safe from any thread.
  [[nodiscard]] std::optional<std::string> cut_short() const;

 private:
  struct Drained {
    RingPosition end;       // a position that drain() has returned
    std::uint64_t records;  // records before it that are not committed
  };

  std::unique_ptr<RecordSource> inner_;
  RingRecorder recorder_;
  std::uint64_t recorded_ = 0;   // records behind the committed position that are in the file already
  std::deque<Drained> drained_;  // ascending
  std::atomic<bool> cut_short_{false};
};

/// A recording as a source. Positions are offsets in the file. The ring's id is that of the file, not that of the ring it
/// was taken from: a journal must not take one for the other.
class ReplaySource final : public RecordSource {
 public:
  /// An Error if the file is no recording or of another version.
  [[nodiscard]] static Result<std::unique_ptr<ReplaySource>> open(const std::string& path);

  [[nodiscard]] const RecordingHeader& header() const { return header_; }
  /// Bytes at the end of the file that are no whole record: the recorder was killed, or the file is damaged.
  [[nodiscard]] std::uint64_t torn() const { return torn_; }

  [[nodiscard]] std::string ring_id() const override { return ring_id_; }
  [[nodiscard]] Result<RingPosition> drain(
      std::size_t limit, const std::function<void(std::span<const std::byte>)>& take) override;
  [[nodiscard]] RingPosition position() const override { return position_; }
  void commit(RingPosition position) override;
  [[nodiscard]] bool wait(std::chrono::milliseconds longest) override;
  void interrupt() override {}

 private:
  ReplaySource(Fd fd, std::string path, RecordingHeader header, std::string ring_id, RingPosition begin,
               RingPosition end);

  Fd fd_;
  std::string path_;
  RecordingHeader header_;
  std::string ring_id_;
  RingPosition position_;
  RingPosition end_;
  std::uint64_t torn_ = 0;
};

}  // namespace flowtap::flow
