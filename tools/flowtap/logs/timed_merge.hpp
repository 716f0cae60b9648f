// Logs that are in order each, as one that is in order: read to the end first, then merged by their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::cli {

/// Lines with times that are in order as text. Kept in a file
/// without a name, so that logs may be larger than the memory.
class TimedMerge {
 public:
  /// kText: lines begin with their time as RFC 3339 with nine digits has it, in UTC; kOtel: with {"timeUnixNano":"...".
  enum class Form : std::uint8_t { kText, kOtel };
  [[nodiscard]] static Result<TimedMerge> create(Form form = Form::kText);

  /// The time of a line, as its text has it; empty: it has none.
  [[nodiscard]] static std::string_view time_of(std::string_view line, Form form);

  /// The next log; its number counts from 0.
  void begin_log();
  /// More of it, in pieces of any size.
  [[nodiscard]] Status add(std::string_view piece);

  /// Each line once, without its newline, the oldest first; of the same time, that of the log that was added first.
  /// `take` returns false when no more is wanted.
  [[nodiscard]] Status merge(const std::function<bool(std::size_t log, std::string_view line)>& take);

 private:
  /// Where a log stands in the file, and what of it is in memory.
  struct Log {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
    std::string read = {};
    std::size_t at = 0;    // of the line in `read`
    std::size_t size = 0;  // without its newline
    std::string time = {};
    [[nodiscard]] std::string_view line() const { return std::string_view(read).substr(at, size); }
  };

  TimedMerge(Fd file, Form form) : file_(std::move(file)), form_(form) {}
  /// False: the log has no more lines.
  [[nodiscard]] Result<bool> next_line(Log& log) const;

  Fd file_;
  Form form_;
  std::uint64_t size_ = 0;
  std::vector<Log> logs_;
};

}  // namespace flowtap::cli
