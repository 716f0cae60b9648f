// Where a client's reading of a flow's log begins, and what is missing from there on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "component/views/flow_views.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Bytes that are read at a time: more than the longest line.
constexpr std::size_t kLogPart = std::size_t{24} << 10U;
/// So many parts are looked at before others have their turn: less than a millisecond.
constexpr int kLogParts = 8;

/// A part of a flow's log, as of one state of it.
struct ReadingSpan {
  flow::LogPosition begin = 0;  ///< of all that the store had
  flow::LogPosition at = 0;     ///< where the reading begins
  flow::LogPosition to = 0;     ///< where the log ended
  std::uint64_t lines = 0;      ///< of the flow's, before `at`
  std::uint64_t lines_to = 0;   ///< before `to`
  std::uint64_t tail = 0;       ///< lines from `at` to `to` that count where the last ones are asked for
  std::uint64_t missing = 0;    ///< bytes of the streams between `at` and `to`
  std::size_t edits = 0;        ///< of the log, as these positions are
};

[[nodiscard]] std::unexpected<Error> log_has_gone();

/// Looks for it step by step, since others may have to wait.
class ReadingStart {
 public:
  /// All must outlive it.
  ReadingStart(const flow::FlowStore& store, const flow::FlowStore::Ref& flow, const api::LogOptions& options)
      : store_(store), flow_(flow), options_(options) {}

  /// Where the log ends now. An Error: it has had to make room.
  [[nodiscard]] Status look();
  /// False: to be called again.
  [[nodiscard]] Result<bool> step();
  [[nodiscard]] const ReadingSpan& span() const { return span_; }

 private:
  [[nodiscard]] Result<bool> find_tail();
  void count_line(std::string_view text);
  [[nodiscard]] Result<bool> count_missing();

  const flow::FlowStore& store_;
  const flow::FlowStore::Ref& flow_;
  const api::LogOptions& options_;
  ReadingSpan span_;
  bool has_gaps_ = false;
  int looks_ = 0;
  std::optional<flow::LogPosition> tail_from_;  // the last lines are looked for before it
  std::string tail_rest_;                       // of a line that begins before it
  std::uint64_t tail_lines_ = 0;                // so many that count begin behind it
  std::uint64_t all_lines_ = 0;                 // and so many in all
  std::optional<flow::LogPosition> counted_;    // up to here it is known what is missing
  std::string count_rest_;                      // of a line
};

}  // namespace flowtap
