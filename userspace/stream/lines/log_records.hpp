// Makes records of a flow's log, line by line. It is the one place that knows when a record of a log that is read is whole.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "stream/lines/cri_line.hpp"
#include "stream/lines/whole_records.hpp"

namespace flowtap::flow {

/// It takes both outputs, which do not mix. `take(std::string_view output, const WholeRecord&)` is called with each record that
/// is whole now. Used by one thread.
class LogRecords {
 public:
  using Clock = std::chrono::steady_clock;

  /// A record is one write. This long after its last line it is taken to be whole, even if the next one has not begun.
  static constexpr std::chrono::milliseconds kRecordIsWritten{200};

  explicit LogRecords(const RecordRules& rules = {})
      : outputs_{Output{"stdout", WholeRecords(rules)}, Output{"stderr", WholeRecords(rules)}} {}

  /// Adds a line, or a gap, after which nobody knows what goes on.
  template <typename Take>
  void add(const CriLine& line, Take&& take) {
    Output& output = outputs_.at(line.output == outputs_[1].name ? 1 : 0);
    const auto give = given(output, take);
    output.until = {};
    if (line.missing) return output.records.lose(give);
    const std::uint64_t begin = output.end;
    output.end += line.text.size() + (line.full ? 1 : 0);
    output.records.add({line.text, line.full, begin, output.end, line.time}, give);
  }

  /// The next lines do not go on with those before.
  template <typename Take>
  void jump(Take&& take) {
    for (Output& output : outputs_) output.records.lose(given(output, take));
  }

  /// There is no more `now`. Returns when to ask again even if no line has come; max: not before one has.
  template <typename Take>
  [[nodiscard]] Clock::time_point rest(Take&& take, Clock::time_point now = Clock::now()) {
    auto next = Clock::time_point::max();
    for (Output& output : outputs_) {
      if (!output.records.has_begun() || output.records.is_mid_line()) continue;
      if (output.until == Clock::time_point()) output.until = now + kRecordIsWritten;
      if (output.until <= now)
        output.records.flush(given(output, take));
      else
        next = std::min(next, output.until);
    }
    return next;
  }

  /// Gives each record that has begun as far as it has come.
  template <typename Take>
  void finish(Take&& take) {
    for (Output& output : outputs_) output.records.flush(given(output, take));
  }

 private:
  struct Output {
    std::string_view name;
    WholeRecords records;
    std::uint64_t end = 0;      ///< of its last line, among those that are read here
    Clock::time_point until{};  ///< until when more of its record is waited for; not set: it is not
  };

  template <typename Take>
  static auto given(const Output& output, Take& take) {
    return [&take, name = output.name](const WholeRecord& record) { take(name, record); };
  }

  std::array<Output, 2> outputs_;
};

}  // namespace flowtap::flow
