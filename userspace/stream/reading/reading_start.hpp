// Finds where a client's reading of a flow's log begins, and what is missing from there on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "component/views/flow_views.hpp"
#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/reading/whole_tail.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Bytes that are read at a time. It is more than the longest line.
constexpr std::size_t kLogPart = std::size_t{24} << 10U;
/// This many parts are looked at before others have their turn: less than a millisecond.
constexpr int kLogParts = 8;

/// A part of a flow's log, in one state of it.
struct ReadingSpan {
  flow::LogPosition begin = 0;  ///< where all that the store had begins
  flow::LogPosition at = 0;     ///< where the reading begins
  flow::LogPosition to = 0;     ///< where the log ended
  std::uint64_t lines = 0;      ///< the flow's lines before `at`
  std::uint64_t lines_to = 0;   ///< the flow's lines before `to`
  std::uint64_t tail = 0;       ///< lines from `at` to `to` that count as last lines
  /// Whether the next parts of stdout and stderr belong to lines that begin before `at` and are not among the last lines.
  std::array<bool, 2> within{};
  /// Whether the bytes of the gaps by which stdout and stderr begin at `at` were read elsewhere.
  std::array<bool, 2> has_gap{};
  std::uint64_t missing = 0;  ///< bytes of the streams between `at` and `to`
  std::size_t edits = 0;      ///< the log's number of edits for these positions

  /// Whether the next line is left out: it is such a gap, or the rest of a line that begins before the last lines. A gap ends the
  /// rest.
  [[nodiscard]] bool leaves_out(const flow::CriLine& line) {
    const std::size_t output = flow::output_index(line.output);
    if (line.missing && has_gap.at(output)) return true;
    has_gap.at(output) = false;
    const bool left_out = within.at(output) && !line.missing;
    within.at(output) = left_out && !line.full;
    return left_out;
  }
};

[[nodiscard]] std::unexpected<Error> log_has_gone();

/// Looks for the start step by step, so that others can have their turn.
class ReadingStart {
 public:
  /// The store, the flow and the options must outlive it.
  ReadingStart(const flow::FlowStore& store, const flow::FlowStore::Ref& flow,
               const api::LogReadOptions& options)
      : store_(store), flow_(flow), options_(options) {}

  /// Finds where the log ends now. An Error: it has had to make room.
  [[nodiscard]] Status look();
  /// False: call it again.
  [[nodiscard]] Result<bool> step();
  [[nodiscard]] const ReadingSpan& span() const { return span_; }

 private:
  [[nodiscard]] Result<bool> find_tail();
  void count_line(std::string_view text, flow::LogPosition at);
  [[nodiscard]] bool has_tail() const;
  void take_whole_tail();
  [[nodiscard]] Result<bool> count_missing();

  const flow::FlowStore& store_;
  const flow::FlowStore::Ref& flow_;
  const api::LogReadOptions& options_;
  ReadingSpan span_;
  bool has_gaps_ = false;
  int looks_ = 0;
  std::optional<flow::LogPosition> tail_from_;  // the last lines are looked for before it
  std::string tail_rest_;                       // the rest of a line that begins before it
  std::uint64_t tail_lines_ = 0;                // lines that count and begin behind it
  std::uint64_t all_lines_ = 0;                 // all lines that begin behind it
  std::optional<WholeTail> whole_;              // in the place of these, if lines count as people see them
  std::optional<flow::LogPosition> counted_;    // up to here it is known how much is missing
  std::string count_rest_;                      // of a line
};

}  // namespace flowtap
