// Lines to a file, a pipe or a stream socket whose other end may be slow, go away and come back.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "stats/backends/sending/address.hpp"
#include "stats/backends/sending/patience.hpp"

namespace flowtap::stats {

struct LineStreamOptions {
  std::size_t max_lines = 1'000;
  std::size_t max_bytes = std::size_t{8} << 20U;
  /// The time that one pump() waits for a receiver whose buffer is full.
  std::chrono::milliseconds patience{200};
};

/// Keeps each line until the other end has it, and sends it again from its beginning after a new connection,
/// so that a line is never torn and arrives at least once. "Has it" means:
///   file, pipe    the kernel took it
///   Unix stream   the receiver has read it (SIOCOUTQ)
///   TCP           the receiver's kernel has acknowledged it (SIOCOUTQ). Since it may have died with that
///   unread, which
///                 shows as a reset, the last kHistory such lines are kept, and sent again after a reset.
/// A receiver that is gone is noticed before the next line is sent.
class LineStream {
 public:
  static constexpr std::size_t kHistory = 64;

  LineStream(Address address, LineStreamOptions options);

  /// True if a line of this many bytes may be pushed. A single line may be larger than the bound.
  [[nodiscard]] bool has_room(std::size_t bytes);

  /// Takes a line with its '\n'.
  void push(std::string line);

  /// Sends what the other end takes now, and connects if necessary. An Error says why some lines have to wait.
  Status pump();

  /// Lines that have not been handed to the kernel as a whole.
  [[nodiscard]] std::size_t unsent() const { return lines_.size() - next_; }

 private:
  struct Line {
    std::string text;
    std::uint64_t end = 0;  // the position after it on this connection, once it was sent
  };
  enum class Peer : std::uint8_t { kAlive, kClosed, kReset };

  Status open();
  Status open_file();
  Status send_rest();
  Result<std::size_t> write_some(std::string_view text);
  void confirm();
  [[nodiscard]] Peer peer();
  void close();
  void drop_front();
  void drop_history(std::size_t keep);
  [[nodiscard]] bool is_socket() const;
  [[nodiscard]] bool file_was_replaced() const;

  Address address_;
  LineStreamOptions options_;
  Fd fd_;
  std::deque<Line> lines_;      // oldest first: `history_` confirmed ones, sent ones, unsent ones
  std::size_t history_ = 0;     // confirmed lines that are kept for the case of a reset
  std::size_t next_ = 0;        // the first line that is not sent as a whole
  std::size_t offset_ = 0;      // how much of that line is sent
  std::size_t bytes_ = 0;       // in all lines_
  std::uint64_t position_ = 0;  // bytes sent on this connection
  Patience patience_;
};

}  // namespace flowtap::stats
