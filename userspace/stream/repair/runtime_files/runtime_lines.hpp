// Makes lines of the bytes of a runtime's file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "stream/lines/line_assembler.hpp"
#include "stream/repair/runtime_files/runtime_line_parser.hpp"

namespace flowtap::flow {

/// Takes one file, from its start or from the start of any of its lines. Memory is bounded whatever the bytes are. Texts that are
/// longer than kMaxLine come in parts.
class RuntimeLines {
 public:
  /// The most bytes that are held without a newline. Docker's longest line, 16 KiB that are each escaped in six characters and
  /// with attributes, is well below.
  static constexpr std::size_t kMostHeld = std::size_t{256} << 10U;

  explicit RuntimeLines(RuntimeFormat format) : parser_(format) {}

  /// How many lines of the file were of the format, or began so. Parts that we made do not count.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  /// How many lines of the file were not.
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  /// `take(const RuntimeLine&)` is called for each line as soon as its newline is there, or when it is too long to wait.
  template <typename Take>
  void add(std::string_view bytes, Take&& take) {
    while (!bytes.empty()) {
      const std::size_t room = kMostHeld - held_.size();
      const std::size_t newline = bytes.substr(0, room).find('\n');
      if (newline == std::string_view::npos) {
        hold(bytes.substr(0, room), take);
        bytes.remove_prefix(std::min(room, bytes.size()));
        continue;
      }
      if (held_.empty()) {
        end_line(bytes.substr(0, newline), take);
      } else {
        held_.append(bytes.substr(0, newline));
        end_line(held_, take);
        held_.clear();
      }
      bytes.remove_prefix(newline + 1);
    }
  }

  /// The file has ended. Bytes without a newline will not get one, so they are skipped. lines() begins anew.
  void finish() {
    if (within_ == Within::kText || !held_.empty()) ++skipped_;
    held_.clear();
    within_ = Within::kLine;
    lines_ = 0;
  }

 private:
  enum class Within : std::uint8_t {
    kLine,  // nothing is known of the line that is held
    kText,  // its head is in head_, and what is held is text
    kJunk,  // it is not a line, and its end is waited for
  };

  template <typename Take>
  void hold(std::string_view bytes, Take&& take) {
    if (within_ == Within::kJunk) return;
    held_.append(bytes);
    if (held_.size() < kMostHeld) return;
    if (within_ == Within::kLine && !begin_long_line()) {
      held_.clear();
      return;
    }
    std::string_view text = held_;
    give_parts(text, take);
    held_.erase(0, held_.size() - text.size());
  }

  // Makes the head head_, and the line's text held_. False: it is not a line. Half of a JSON object cannot be parsed.
  bool begin_long_line() {
    const auto line = parser_.format() == RuntimeFormat::kJsonFile ? std::nullopt : parser_.parse(held_);
    within_ = line ? Within::kText : Within::kJunk;
    ++(line ? lines_ : skipped_);
    if (!line) return false;
    head_ = *line;
    held_.erase(0, held_.size() - line->text.size());
    return true;
  }

  template <typename Take>
  void end_line(std::string_view line, Take&& take) {
    const Within within = std::exchange(within_, Within::kLine);
    if (within == Within::kJunk) return;
    if (within == Within::kLine) {
      const auto parsed = parser_.parse(line);
      ++(parsed ? lines_ : skipped_);
      if (!parsed) return;
      head_ = *parsed;
      line = head_.text;
    }
    give_parts(line, take);
    take(RuntimeLine{head_.time, head_.output, head_.full, line});
  }

  // Gives parts as long as there is more than the last one.
  template <typename Take>
  void give_parts(std::string_view& text, Take&& take) {
    for (; text.size() > kMaxLine; text.remove_prefix(kMaxLine))
      take(RuntimeLine{head_.time, head_.output, false, text.substr(0, kMaxLine)});
  }

  RuntimeLineParser parser_;
  RuntimeLine head_;  // only end_line() uses its text
  std::string held_;
  Within within_ = Within::kLine;
  std::uint64_t lines_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace flowtap::flow
