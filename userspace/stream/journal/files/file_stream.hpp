// One file that is followed: what the log tap saw being written, and what it did not, read from the file.
//
// The file's own positions say what is missing and what is known. A record that does not stand where the one before ended is a
// sign of bytes that the tap could not see (sendfile, io_uring, a full ring), of two writers that overtook one another, or of a
// file that was truncated. The file is then asked, as long as it still has the bytes.
//
// The journal counts a file's bytes from where the file was followed from, whatever the tap counted. A hole, which nobody ever
// wrote, is none of them: in the flow, what stands behind a hole follows what stands before it, and nothing is missing.
// File systems count holes in blocks, so zeros that border on one are taken for part of it; a hole at the end is room for what
// is still to be written.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "stream/journal/journal_batch.hpp"

namespace flowtap::flow {

/// How the places of a followed file's bytes belong together. This seldom changes, and stands in the stream's name, so that a
/// restart goes on where the journal ends.
struct FilePlace {
  std::int64_t base = 0;  ///< position in the file - offset in the journal
  std::optional<std::int64_t> step =
      {};  ///< position in the file - the tap's own offset; absent: not known yet
  bool operator==(const FilePlace&) const = default;
};

/// A file as this folder needs it; stream/sources has the descriptor behind it.
class FileContent {
 public:
  FileContent() = default;
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;
  virtual ~FileContent() = default;

  /// Absent: it cannot be had any more.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const = 0;
  struct Written {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< the end of the file, or where a hole begins
  };
  /// What was written next, at `position` or behind it; absent: nothing, or it cannot be had.
  [[nodiscard]] virtual std::optional<Written> written(std::uint64_t position) const = 0;
  /// How many bytes were read: fewer than asked for at the end of the file, and 0 if it cannot be read.
  [[nodiscard]] virtual std::size_t read(std::uint64_t position, std::span<std::byte> into) const = 0;
  /// The stream's name. It says `place`, so that a restart finds that again.
  [[nodiscard]] virtual StreamName name(const FilePlace& place) const = 0;
};

/// Its many members describe one state, where the file, the tap and the journal stand; a part of them would mean nothing by
/// itself.
class FileStream {
 public:
  using Clock = std::chrono::steady_clock;

  struct Start {
    StreamNo stream = 0;
    std::uint64_t offset = 0;               ///< in the journal, where it goes on
    std::uint64_t position = 0;             ///< in the file, where it goes on
    std::optional<std::int64_t> step = {};  ///< as FilePlace
    /// The file's size before the tap knew it: the tap tells nothing of what stands before.
    std::uint64_t tapped_from = 0;
    std::uint64_t tapped_at = 0;  ///< ns since 1970, when the tap knew it
  };

  /// `content` must outlive it.
  FileStream(const Start& start, const FileContent& content);

  /// Where bytes go, and how many may be read from files for it.
  struct Sink {
    Batch& batch;
    std::uint64_t time;  ///< now, in ns since 1970: of what is read from the file
    std::uint64_t budget;
  };

  /// Takes a record of the tap. `time` is as in a BytesEntry.
  void take(const Bytes& record, std::uint64_t time, Sink& sink);
  /// The same while an earlier file of its flow is not read to its end. Only how far the record goes is remembered.
  void postpone(const Bytes& record);

  /// Looks whether the file has what the tap did not tell of. `drained`: all that the tap has told was taken.
  void look(Clock::time_point now, bool drained);
  /// All that the file has now is to be read.
  void settle();
  /// Reads on, as far as the sink allows.
  void read_on(Sink& sink);

  /// Counts what could not be read as missing.
  void give_up();

  /// There is something to read_on().
  [[nodiscard]] bool is_behind() const { return position_ < target_; }
  /// look() waits for what the tap has to tell; it is to be called again soon.
  [[nodiscard]] bool is_restless() const { return restless_since_ && !blank_; }
  [[nodiscard]] StreamNo number() const { return stream_; }
  [[nodiscard]] std::uint64_t passed() const { return offset_; }
  /// As the stream's name says it.
  [[nodiscard]] const FilePlace& place() const { return told_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }  ///< bytes, since it was made
  [[nodiscard]] std::uint64_t filled() const { return filled_; }    ///< bytes that were read from the file

 private:
  [[nodiscard]] bool is_known(const Bytes& record, std::int64_t step, std::uint64_t time) const;
  void append(const Bytes& record, std::uint64_t time, Sink& sink);
  void rewind(const Bytes& record, std::int64_t step);
  void move_to(std::uint64_t position);
  void pass_over(std::uint64_t to);
  /// As read_on(). `told` is where a record says that it stands, so no hole is there.
  void read(Sink& sink, std::optional<std::uint64_t> told);
  /// Adds bytes at the position. `before_hole`: they end where a hole begins. False: they were its beginning.
  bool add_read(std::span<const std::byte> bytes, bool before_hole, Sink& sink);
  void lose(std::uint64_t bytes);
  void note_step(std::int64_t step, std::uint64_t time);
  void tell_place(Batch& batch);

  StreamNo stream_;
  const FileContent& content_;
  std::uint64_t offset_;
  std::uint64_t position_;
  std::uint64_t target_;  // up to where the file is to be read
  std::optional<std::int64_t> step_;
  FilePlace told_;

  struct Candidate {
    std::int64_t step;
    std::uint64_t since;  // the time of its first record
  };
  std::optional<Candidate> candidate_;
  // What was read from the file while its records were still to come.
  struct Owed {
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t until;  // the time of the last record that may be one of these
  };
  std::optional<Owed> owed_;
  std::optional<std::uint64_t> high_;                // where it stood before it went back
  std::optional<Clock::time_point> restless_since_;  // since when the file has more, or less, than was told
  std::uint64_t restless_size_ = 0;                  // its size then
  bool behind_hole_ = false;  // a hole ends at the position, or may: zeros there are part of it
  bool blank_ = false;        // all that the file had beyond was a hole at its end
  std::uint64_t missing_ = 0;
  std::uint64_t filled_ = 0;
};

}  // namespace flowtap::flow
