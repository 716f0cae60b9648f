// A scheduler's lines, each with its record's flow and verbosity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/lines/flow_key.hpp"
#include "stream/lines/klog/verbosity.hpp"
#include "stream/lines/record_assembler.hpp"

namespace flowtap::flow {

/// Does not own its text, which lives until the next call.
struct SchedulerLine {
  RecordLine line;
  std::string_view flow;  ///< "ns/name" or "other/name", behind "sched/"; empty: none
  Level level = kUnknownLevel;
};

/// Takes one stream's lines. A line is given at once, since a record's key is almost always in its first line. If the pairs go on
/// behind that, in a "=<" block or a line of more than kMaxLine bytes, the record's lines are held until the pairs end: the rest
/// comes with the same write. A record that is not decided after kMostHeld bytes has no flow.
class SchedulerLines {
 public:
  static constexpr std::size_t kMostHeld = std::size_t{256} << 10U;

  explicit SchedulerLines(FlowKeys keys = FlowKeys()) : keys_(std::move(keys)) {}

  [[nodiscard]] std::size_t held() const { return held_text_.size(); }
  [[nodiscard]] const Verbosity& verbosity() const { return verbosity_; }

  /// `take(SchedulerLine)` is called for each line that is decided now, in order.
  template <typename Take>
  void add(const LineView& view, Take&& take) {
    const RecordLine line = records_.add(view);
    if (line.first) {
      flush(take);
      begin(line);
    }
    if (!holding_) return take(SchedulerLine{line, flow_, level_});
    hold(line);
    if (head_is_whole() || held_text_.size() > kMostHeld) flush(take);
  }

  /// Gives held lines with what is known by now: the stream has ended or been idle, or a gap follows.
  template <typename Take>
  void flush(Take&& take) {
    if (!holding_) return;
    decide(held_form_, held_text_, false);
    holding_ = false;
    for (Held& held : held_) {
      held.line.line.text = std::string_view(held_text_).substr(held.at, held.line.line.text.size());
      take(SchedulerLine{held.line, flow_, level_});
    }
    held_.clear();
    held_text_.clear();
  }

 private:
  struct Held {
    RecordLine line;
    std::size_t at = 0;
  };

  void begin(const RecordLine& line) {
    flow_.clear();
    level_ = kUnknownLevel;
    line_open_ = false;
    in_block_ = false;
    if (!line.form) return;
    held_form_ = *line.form;
    holding_ = !decide(*line.form, line.line.text, !line.line.full);
  }

  [[nodiscard]] bool head_is_whole() const { return !line_open_ && !in_block_; }

  // False: the rest of the record's head may still change the answer.
  bool decide(KlogForm form, std::string_view text, bool line_open) {
    const KlogRecord record = parse_klog_record(form, text);
    const FlowKeys::Found found = keys_.find(record, line_open);
    if (found.cut && (!found.key || form == KlogForm::kJson) && !holding_) return false;
    if (found.key) found.key->put(flow_);
    level_ = verbosity_.of(record);
    return true;
  }

  void hold(const RecordLine& line) {
    // A block's end stands where a line begins, and the text behind it may open the next block.
    if (!line_open_ && in_block_ && line.line.text.starts_with(" >")) in_block_ = false;
    held_.push_back({line, held_text_.size()});
    held_text_.append(line.line.text);
    line_open_ = !line.line.full;
    if (line_open_) return;
    in_block_ = in_block_ || held_text_.ends_with("=<");
    held_text_ += '\n';
  }

  FlowKeys keys_;
  Verbosity verbosity_;
  RecordAssembler records_;
  std::string flow_;  // of the record that goes on
  Level level_ = kUnknownLevel;
  KlogForm held_form_ = KlogForm::kText;
  bool holding_ = false;
  bool in_block_ = false;
  bool line_open_ = false;
  std::string held_text_;
  std::vector<Held> held_;
};

}  // namespace flowtap::flow
