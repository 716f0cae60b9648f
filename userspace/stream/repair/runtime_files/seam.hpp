// Where the captured bytes begin within what the runtime has kept. Both together have to be one log, without a byte missing or
// double between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "stream/repair/runtime_files/runtime_line_parser.hpp"

namespace flowtap::flow {

/// The beginning of the captured bytes of one output.
struct SeamKey {
  /// So many bytes are enough to find it.
  static constexpr std::size_t kEnough = 4096;

  /// The first bytes, in a row; if there are fewer than kEnough, all of them up to a gap. Empty: nothing of this output was
  /// captured up to `time`.
  std::string bytes;
  std::uint64_t time = 0;  ///< ns since 1970, when the first line of them had passed
  /// The bytes were captured where they were written, and dated when the writer went on. The runtime may have read and dated them
  /// before.
  bool terminal = false;
  std::uint64_t missing_before =
      0;  ///< bytes of gaps between the seam and `bytes`, or of all gaps if there are no bytes
  bool operator==(const SeamKey&) const = default;
};

/// Divides the lines of one output that a runtime has kept, given in order from before the seam on. The runtime dates a line when
/// it has read its newline, so lines that it dates earlier than the capture were there before it. Of parts of a line that it dates
/// earlier, the end may have been captured, since the capture dates a line by its last byte. Lines that it dates later may belong
/// before the seam, too, since it may lag, by its pipes and buffers: all of them do that come before the first place with the
/// captured bytes. If there is no such place, time alone decides, or all lines belong before the seam if the runtime has not got
/// so far yet.
class Seam {
 public:
  Seam(SeamKey key, RuntimeFormat format);

  /// No later line is before the seam.
  [[nodiscard]] bool passed() const { return passed_; }
  /// The seam was found by its bytes.
  [[nodiscard]] bool found() const { return found_; }

  /// `take(const RuntimeLine&)` is called for lines before the seam as soon as that is known. The last one may be the first half
  /// of a line.
  template <typename Take>
  void add(const RuntimeLine& line, Take&& take) {
    if (passed_) return;
    if (key_.bytes.empty()) {
      passed_ = line.time >= key_.time;
      if (!passed_) take(line);
      return;
    }
    near_ = near_ || line.time + (key_.terminal ? kTerminalSlack : kSlack) >= key_.time;
    if (!near_ && line.full) return pass(line, take);
    hold(line);
    if (!near_) return pass_parts(take);
    // The rest of the line may bring the key's end.
    if (!line.full && text_.size() < kMostHeld) return;
    if (!decide()) return;
    give(take);
    passed_ = true;
  }

  /// There are no more lines.
  template <typename Take>
  void finish(Take&& take) {
    if (passed_) return;
    decide_at_end();
    give(take);
    passed_ = true;
  }

  /// The difference between the clock of the kernel's events and the runtime's.
  static constexpr std::uint64_t kSlack = 2'000'000;
  /// A writer may have been kept from going on for this long.
  static constexpr std::uint64_t kTerminalSlack = 2'000'000'000;
  /// How much is held behind the time of the capture: more than a runtime's pipes and buffers hold.
  static constexpr std::size_t kMostHeld = std::size_t{512} << 10U;

 private:
  struct Held {
    std::size_t begin = 0;  // in text_
    std::size_t end = 0;    // behind its newline
    std::uint64_t time = 0;
    std::string_view output;
    bool full = false;
  };

  void hold(const RuntimeLine& line);
  [[nodiscard]] RuntimeLine whole(const Held& held) const;
  [[nodiscard]] std::size_t find_key(std::size_t from) const;
  [[nodiscard]] std::size_t nearest() const;
  [[nodiscard]] std::size_t find_at_end() const;
  [[nodiscard]] std::size_t find_over_end() const;
  void skip_early();
  void forget(std::size_t bytes);
  bool decide();
  void decide_at_end();
  void decide_by_time();

  // A whole line that is dated earlier is before the seam, and all that is held is, too.
  template <typename Take>
  void pass(const RuntimeLine& line, Take&& take) {
    cut_ = text_.size();
    give(take);
    searched_ = 0;
    reaches_back_ = true;
    take(line);
  }

  // Parts that are dated earlier are before the seam, but for the end of them.
  template <typename Take>
  void pass_parts(Take&& take) {
    skip_early();
    if (text_.size() < kMostHeld) return;
    std::size_t given = 0;
    for (; !held_.empty() && held_.front().end <= searched_; held_.pop_front()) {
      take(whole(held_.front()));
      given = held_.front().end;
    }
    forget(given);
  }

  // Gives the held text before cut_.
  template <typename Take>
  void give(Take&& take) {
    for (const Held& held : held_) {
      if (held.begin >= cut_) break;
      if (held.end <= cut_)
        take(whole(held));
      else
        take(RuntimeLine{held.time, held.output, false,
                         std::string_view(text_).substr(held.begin, cut_ - held.begin)});
    }
    held_.clear();
    text_.clear();
  }

  SeamKey key_;
  std::vector<std::string> forms_;  // of the key, as the runtime may have kept it: the longest first
  bool replaces_ = false;           // this runtime replaces bytes that are not UTF-8
  std::size_t most_amid_ = 0;
  bool reaches_back_ = false;
  bool near_ = false;  // by its time, the held text may be behind the seam
  bool passed_ = false;
  bool found_ = false;
  std::deque<Held> held_;
  std::string text_;          // of held_, with its newlines
  std::size_t searched_ = 0;  // the key does not begin before this
  std::size_t cut_ = 0;
};

}  // namespace flowtap::flow
