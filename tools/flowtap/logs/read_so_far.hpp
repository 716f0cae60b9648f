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
/// what comes with that time is what was read of it, as often as it was. Where the reading began at the last lines, others of
/// that time may have been left out: then all that have it count as read.
class ReadSoFar {
 public:
  explicit ReadSoFar(TimedMerge::Form form) : form_(form) {}

  /// What of the next line is new; nothing where all of it has been read. Lives until the next call.
  [[nodiscard]] std::optional<std::string_view> take(std::string_view line);
  /// Of the last line only this much has come: its newline has not.
  void note_cut(std::string_view line) { cut_ = line; }

  /// The next line is the first of the last so many, as they are `now`. Those before them are not to come later.
  void begin_at_last(std::uint64_t lines, std::chrono::system_clock::time_point now);
  /// The next line is the first of those that are not older than since().
  void begin_again();
  /// Absent: nothing was read that has a time, and nothing was left out.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> since() const;

 private:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  [[nodiscard]] std::optional<std::string_view> rest_of(std::string_view line, std::string_view time);

  TimedMerge::Form form_;
  bool at_last_ = false;                                           // there may be lines before the first
  std::optional<std::chrono::system_clock::time_point> left_out_;  // all lines until then
  std::string first_;                                              // time
  std::string newest_;                                             // time
  std::uint64_t same_ = 0;                                         // so many lines of that time were read
  std::uint64_t left_ = 0;  // and are still to come again; kAll: however many come
  bool within_ = false;     // such a line, of which the next may be a part
  std::string cut_;
  std::string rest_;  // of it, that is new
};

}  // namespace flowtap::cli
