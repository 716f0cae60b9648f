// The "\r" before each newline of a log: leaves them out, or counts them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "stream/lines/output_index.hpp"

namespace flowtap::flow {

/// Works on lines of any kind that have `time`, `output`, `full` and `text`. The "\r" may stand in a part before the one that ends
/// with the newline, so it is held back there. The outputs do not mix.
template <typename Line>
class CarriageReturns {
 public:
  /// `take(const Line&)` gets the line, and before it what was held back of the one before.
  template <typename Take>
  void add(Line line, Take&& take) {
    auto& held = held_.at(output_index(line.output));
    const bool ends = line.full && line.text.empty();
    if (ends)
      held.reset();
    else
      finish(line.output, take);
    if (line.text.ends_with('\r')) {
      line.text.remove_suffix(1);
      if (!line.full) held = line.time;
      if (!line.full && line.text.empty()) return;
    }
    take(line);
  }

  /// There are no more lines of this output for now.
  template <typename Take>
  void finish(std::string_view output, Take&& take) {
    const auto time = std::exchange(held_.at(output_index(output)), std::nullopt);
    if (!time) return;
    Line rest{};
    rest.time = *time;
    rest.output = output;
    rest.text = "\r";
    take(rest);
  }
  /// There are no more lines for now.
  template <typename Take>
  void finish(Take&& take) {
    finish("stdout", take);
    finish("stderr", take);
  }

 private:
  std::array<std::optional<std::uint64_t>, 2> held_;  // the time of a "\r" that ended a part
};

/// Tells how many of them CarriageReturns leaves out. It gets all lines and parts of a log, and gaps as full lines, in order.
class ReturnCount {
 public:
  /// 1: there is one before the newline that ends this line. Else 0.
  [[nodiscard]] std::uint64_t take(std::string_view output, bool full, std::string_view text) {
    bool& held = held_.at(output_index(output));
    const bool is_there = full && (text.ends_with('\r') || (text.empty() && held));
    held = !full && text.ends_with('\r');
    return is_there ? 1 : 0;
  }

 private:
  std::array<bool, 2> held_{};  // a part ended with "\r"
};

}  // namespace flowtap::flow
