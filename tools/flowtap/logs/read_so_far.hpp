// Remembers how far a log has been read, so that it can be requested again from there, with no line missing or twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "timed_merge.hpp"

namespace flowtap::cli {

/// For lines with their times, in the form of TimedMerge. The log is requested again from the newest time that was
/// read. As many lines of that time as were read before are skipped. If the reading began with the last lines, others
/// of that time may have been left out; then all lines of that time count as read.
class ReadSoFar {
 public:
  explicit ReadSoFar(TimedMerge::Form form) : form_(form) {}

  /// The part of the next line that is new; nothing if all of it has been read. It lives until the next call.
  [[nodiscard]] std::optional<std::string_view> take(std::string_view line);
  /// Only this much of the last line has come, without its newline. As JSON, it says so itself.
  void note_cut(std::string_view line);

  /// The next line is the first of the last lines that were requested `now`. Earlier lines are not to come later.
  void begin_at_last(std::uint64_t lines, std::chrono::system_clock::time_point now);
  /// The next line is the first of those that are not older than since().
  void begin_again();
  /// Absent: no line with a time was read, and none was left out.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> since() const;

 private:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  [[nodiscard]] std::optional<std::string_view> rest_of(std::string_view line, std::string_view time);

  TimedMerge::Form form_;
  bool at_last_ = false;                                           // there may be lines before the first
  std::optional<std::chrono::system_clock::time_point> left_out_;  // all lines until then
  std::string first_;                                              // time
  std::string newest_;                                             // time
  std::uint64_t same_ = 0;                                         // this many lines of that time were read
  std::uint64_t left_ = 0;  // and this many are still to be skipped; kAll: all that come
  bool within_ = false;     // within such a line, so that the next may be a part of it
  std::string cut_;
  std::string rest_;  // the new part of a line
};

}  // namespace flowtap::cli
