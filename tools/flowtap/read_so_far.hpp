// How far a log has been read, so that it can be asked for again from there on: without a line missing or double.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "timed_merge.hpp"

namespace flowtap::cli {

/// Of lines with their times, as TimedMerge has them. The log is asked for again from the newest time on that was read, and
/// what comes with that time is what was read of it, as often as it was.
class ReadSoFar {
 public:
  explicit ReadSoFar(TimedMerge::Form form) : form_(form) {}

  /// What of the next line is new; nothing where all of it has been read. Lives until the next call.
  [[nodiscard]] std::optional<std::string_view> take(std::string_view line);
  /// Of the last line only this much has come: its newline has not.
  void note_cut(std::string_view line) { cut_ = line; }

  /// The next line is the first of those that are not older than since().
  void begin_again();
  /// Absent: nothing was read that has a time.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> since() const;

 private:
  TimedMerge::Form form_;
  std::string newest_;      // time
  std::uint64_t same_ = 0;  // so many lines of that time were read
  std::uint64_t left_ = 0;  // and are still to come again
  bool within_ = false;     // such a line, of which the next may be a part
  std::string cut_;
  std::string rest_;  // of it, that is new
};

}  // namespace flowtap::cli
