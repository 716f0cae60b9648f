// Lines as people see them: a log's format divides the long ones into parts, and marks what is missing by lines of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap::flow {

/// Tells which lines of a log's format begin a line that people see. It gets all of them, in order.
class ShownLines {
 public:
  /// True: a line begins here. False: it is a later part of one, or a gap, behind which the next line begins.
  bool take(std::string_view output, bool full, bool gap = false) {
    bool& amid = amid_.at(output_index(output));
    const bool begins = !amid && !gap;
    amid = !full && !gap;
    return begins;
  }
  bool take(const CriLine& line) { return take(line.output, line.full, line.missing.has_value()); }

  /// Whether the last line of each output, stdout first, was the part of a line whose rest may come.
  [[nodiscard]] const std::array<bool, 2>& amid() const { return amid_; }
  /// The next line of these outputs is a later part of a line.
  void go_on(const std::array<bool, 2>& amid) {
    for (std::size_t output = 0; output < amid_.size(); ++output)
      amid_.at(output) = amid_.at(output) || amid.at(output);
  }

 private:
  std::array<bool, 2> amid_{};
};

/// Numbers the lines of a log's format from 1 on.
class LineNumbers {
 public:
  /// `whole`: the parts of a line have one number, else each has its own.
  explicit LineNumbers(bool whole) : whole_(whole) {}

  [[nodiscard]] std::uint64_t of(std::string_view output, bool full) {
    const bool begins = lines_.take(output, full);
    std::uint64_t& number = numbers_.at(output_index(output));
    if (begins || !whole_) number = ++last_;
    return number;
  }
  /// A gap that is not shown has the number of the line behind it.
  [[nodiscard]] std::uint64_t of_gap(std::string_view output, bool shown) {
    (void)lines_.take(output, true, true);
    return shown ? ++last_ : last_ + 1;
  }
  [[nodiscard]] std::uint64_t of(const CriLine& line, bool shows_gaps) {
    return line.missing ? of_gap(line.output, shows_gaps) : of(line.output, line.full);
  }
  [[nodiscard]] std::uint64_t last() const { return last_; }
  /// Whether the last of each output, stdout first, was the part of a line whose rest may come.
  [[nodiscard]] const std::array<bool, 2>& amid() const { return lines_.amid(); }
  /// The number of the line that this output was in last.
  [[nodiscard]] std::uint64_t last_of(std::size_t output) const { return numbers_.at(output); }

 private:
  bool whole_;
  ShownLines lines_;
  std::array<std::uint64_t, 2> numbers_{};
  std::uint64_t last_ = 0;
};

/// How many lines begin in this text of the format. A part at its beginning counts as the beginning of a line.
[[nodiscard]] std::uint64_t count_shown_lines(std::string_view text);
/// The same of a text that comes in pieces, each of whole lines of the format.
[[nodiscard]] std::uint64_t count_shown_lines(std::string_view text, ShownLines& lines);

}  // namespace flowtap::flow
