// Where what was captured begins within what the runtime has kept: the two are to be one log, without a byte missing or
// double between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "stream/repair/runtime_files/runtime_line_parser.hpp"

namespace flowtap::flow {

/// The beginning of what was captured of one output.
struct SeamKey {
  /// The first bytes, in a row; a few KiB are enough. Empty: nothing was captured of it up to `time`.
  std::string bytes;
  std::uint64_t time = 0;  ///< ns since 1970, when the first of them passed
  /// Captured where it was written, and dated when the writer went on: the runtime may have read and dated it before.
  bool terminal = false;
  bool operator==(const SeamKey&) const = default;
};

/// Divides the lines of one output that a runtime has kept, given in order from before the seam on. The runtime dates a
/// line when it has read its newline, so what it dates earlier than the capture was there before it. Of what it dates
/// later, what comes before the first place with the captured bytes belongs before the seam: it may lag, by its pipes and
/// buffers. Where there is no such place, by time alone, or all of it if the runtime has not got so far yet.
class Seam {
 public:
  Seam(SeamKey key, RuntimeFormat format);

  /// Nothing that comes is before the seam.
  [[nodiscard]] bool passed() const { return passed_; }
  /// It is known by its bytes.
  [[nodiscard]] bool found() const { return found_; }

  /// `take(const RuntimeLine&)` is called for what is before the seam as soon as that is known; the last may be the first
  /// half of a line then.
  template <typename Take>
  void add(const RuntimeLine& line, Take&& take) {
    if (passed_) return;
    if (key_.bytes.empty()) {
      passed_ = line.time >= key_.time;
      if (!passed_) take(line);
      return;
    }
    if (!near_) {
      // Parts have the times of their own reads, which say nothing of the line.
      if (!line.full && text_.size() < kMostHeld) return hold(line);
      near_ = line.time + (key_.terminal ? kTerminalSlack : kSlack) >= key_.time;
      if (!near_) {
        cut_ = text_.size();
        give(take);
        reaches_back_ = true;
        take(line);
        return;
      }
    }
    hold(line);
    if (!decide()) return;
    give(take);
    passed_ = true;
  }

  /// There is no more.
  template <typename Take>
  void finish(Take&& take) {
    if (passed_) return;
    decide_at_end();
    give(take);
    passed_ = true;
  }

  /// Between the clock of the kernel's events and the runtime's.
  static constexpr std::uint64_t kSlack = 2'000'000;
  /// For as long a writer may have been kept from going on.
  static constexpr std::uint64_t kTerminalSlack = 2'000'000'000;
  /// Behind the time of the capture; more than lies in a runtime's pipes and buffers.
  static constexpr std::size_t kMostHeld = std::size_t{512} << 10U;

 private:
  struct Held {
    std::size_t begin = 0;  // in text_
    std::size_t end = 0;    // behind its newline
    std::uint64_t time = 0;
    std::string_view output;
    bool full = false;
    std::string text;
  };

  void hold(const RuntimeLine& line);
  [[nodiscard]] std::size_t nearest() const;
  bool decide();
  void decide_at_end();
  void decide_by_time();

  // What is held and before cut_.
  template <typename Take>
  void give(Take&& take) {
    for (const Held& held : held_) {
      if (held.begin >= cut_) break;
      if (held.end <= cut_)
        take(RuntimeLine{held.time, held.output, held.full, held.text});
      else
        take(RuntimeLine{held.time, held.output, false,
                         std::string_view(held.text).substr(0, cut_ - held.begin)});
    }
    held_.clear();
    text_.clear();
  }

  SeamKey key_;
  bool drops_ = false;     // this runtime drops "\r" before a newline
  bool replaces_ = false;  // and this one what is no UTF-8
  bool reaches_back_ = false;
  bool near_ = false;  // what is held is not known to be before the seam by its time
  bool passed_ = false;
  bool found_ = false;
  std::deque<Held> held_;
  std::string text_;          // of held_, as it is compared
  std::size_t searched_ = 0;  // the key does not begin before
  std::size_t cut_ = 0;
};

}  // namespace flowtap::flow
