// Merges logs, each of which is in order, by the times of their lines. All are read to the end first.
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

/// The lines have times that sort as text. They are kept in a file without a name, so that logs may be larger than the
/// memory.
class TimedMerge {
 public:
  /// kText: lines begin with their time in UTC, in the form of RFC 3339 with nine digits; kJson: with {"time":"..." and such a
  /// time; kOtel: with {"timeUnixNano":"...".
  enum class Form : std::uint8_t { kText, kJson, kOtel };
  [[nodiscard]] static Result<TimedMerge> create(Form form = Form::kText);

  /// The time of a line, as it is written there; empty: it has none.
  [[nodiscard]] static std::string_view time_of(std::string_view line, Form form);

  /// Begins the next log; the numbers of logs count from 0.
  void begin_log();
  /// Adds more of this log, in pieces of any size.
  [[nodiscard]] Status add(std::string_view piece);

  /// Gives each line once, without its newline, the oldest first. If times are equal, the log that was added first
  /// comes first. `take` returns false when it wants no more.
  [[nodiscard]] Status merge(const std::function<bool(std::size_t log, std::string_view line)>& take);

 private:
  /// The place of a log in the file, and the part of it that is in memory.
  struct Log {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
    std::string read = {};
    std::size_t at = 0;    // where the line begins in `read`
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
