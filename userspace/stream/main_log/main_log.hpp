// The readable log of the schedulers: standard error, or a file with rotation. It never waits for its readers.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

class MainLog {
 public:
  struct Options {
    std::string to;           ///< "stderr", or a file
    std::uint64_t bytes = 0;  ///< of one file; beyond it the file becomes FILE.1, that FILE.2, and so on
    std::uint64_t files = 0;  ///< FILE and its predecessors, at least one
  };

  explicit MainLog(Options options);

  /// Writes a line, or a part of one. What cannot be written now is lost here (its flow has it), and counted. The same holds for
  /// the content of a file that has to begin anew because it cannot be renamed.
  void write(std::string_view text, bool full);
  [[nodiscard]] std::uint64_t lost_bytes() const { return lost_; }
  /// The end of the file and its predecessors, at most about this much. All lines are whole except perhaps the last one. Empty
  /// where the log goes to standard error.
  [[nodiscard]] std::string tail(std::size_t most) const;

 private:
  [[nodiscard]] std::string name(std::uint64_t n) const;
  [[nodiscard]] bool ready(std::size_t bytes);
  [[nodiscard]] bool rotate() const;
  [[nodiscard]] bool has_name(const struct stat& file) const;
  [[nodiscard]] bool begin_anew();
  [[nodiscard]] std::size_t put(std::string_view bytes);

  const Options options_;
  Fd file_;
  std::uint64_t size_ = 0;
  bool line_open_ = false;  // the last line in the file has no newline
  bool goes_on_ = false;    // and what comes next belongs to that line
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace flowtap
