// Writes the bytes of a stream: a file or pipe gets them as they are, and a terminal gets only what it may show.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

/// Escapes control characters, except newline and tab, in text that comes in pieces. A character that is cut by the end
/// of a piece is shown with the next piece.
class TerminalText {
 public:
  [[nodiscard]] std::string show(std::string_view piece);
  /// The remaining bytes: the beginning of a character whose rest never came.
  [[nodiscard]] std::string finish();

 private:
  std::string unfinished_;
};

class Writer {
 public:
  /// Writes to `fd`, which is not owned. `stop`: a descriptor that is readable when waiting must end, or -1.
  Writer(int fd, int stop);

  /// Waits for a slow reader; false if nobody reads any more, or if `stop` became readable while we waited.
  bool write(std::string_view bytes);
  bool finish();
  /// The same for text that the caller has already made safe to show.
  bool write_shown(std::string_view text) { return write_all(text); }
  [[nodiscard]] bool is_terminal() const { return terminal_; }

 private:
  bool write_all(std::string_view bytes) const;

  int fd_;
  int stop_;
  bool terminal_;
  TerminalText text_;
};

}  // namespace flowtap::cli
