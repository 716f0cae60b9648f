// Whole records out of their lines, for whoever needs all of one at once: the next record's first line ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "stream/lines/record_assembler.hpp"

namespace flowtap::flow {

/// One stream's.
class RecordText {
 public:
  /// Schedulers write whole pods and nodes into one value. What a record has beyond this is left out.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;

  /// `take(std::string_view)` is called with the record before, without its last newline, where this line begins another.
  template <typename Take>
  void add(const RecordLine& line, Take&& take) {
    if (line.first) flush(take);
    if (!line.headed) return;
    if (!held_) time_ = line.line.time;
    if (held_ && full_) put("\n");
    put(line.line.text);
    held_ = true;
    full_ = line.line.full;
  }

  /// The stream has ended, been idle or has a gap: nothing more of the last record comes.
  template <typename Take>
  void flush(Take&& take) {
    if (!held_) return;
    held_ = false;
    cut_ += text_.size() == kMost ? 1 : 0;
    take(std::string_view(text_));
    text_.clear();
    if (text_.capacity() > kKept) text_ = {};
  }

  /// LineView::time of the first line of the record that is given, or that has begun.
  [[nodiscard]] std::uint64_t time() const { return time_; }
  /// Records that were longer.
  [[nodiscard]] std::uint64_t cut() const { return cut_; }

 private:
  static constexpr std::size_t kKept = std::size_t{64}
                                       << 10U;  // of a buffer that one long record has made large

  void put(std::string_view text) { text_.append(text.substr(0, kMost - text_.size())); }

  std::string text_;
  std::uint64_t cut_ = 0;
  std::uint64_t time_ = 0;
  bool held_ = false;
  bool full_ = false;  // the last line was whole
};

}  // namespace flowtap::flow
