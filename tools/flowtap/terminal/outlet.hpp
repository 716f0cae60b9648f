// Where the bytes of a stream go: a file or pipe gets them as they are, a terminal what it may show.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

/// Text of a stream that comes in pieces, with control characters escaped but for newline and tab. A character
/// that is cut by the end of a piece is shown whole with the next.
class TerminalText {
 public:
  [[nodiscard]] std::string show(std::string_view piece);
  /// What is left over: the beginning of a character whose rest never came.
  [[nodiscard]] std::string finish();

 private:
  std::string unfinished_;
};

class Outlet {
 public:
  /// Writes to `fd`, which is not owned. `stop`: a descriptor that is readable when waiting must end, or -1.
  Outlet(int fd, int stop);

  /// Waits for those who read; false when nobody does any more, or `stop` says so while they let us wait.
  bool write(std::string_view bytes);
  bool finish();
  /// The same of what the caller has made fit to be shown.
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
