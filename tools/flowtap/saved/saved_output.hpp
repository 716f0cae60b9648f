// One output of a scheduler: a log of its own, in one saved file or in several pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/scheduler_log.hpp"
#include "log_pieces.hpp"
#include "seen_records.hpp"
#include "strangers.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/lines/whole_records.hpp"
#include "unwrap/unwrapper.hpp"

namespace flowtap::cli {

class SavedOutput;

/// What all outputs share. A log's number is its place.
struct SavedState {
  explicit SavedState(diagnosis::DiagnosisStore& where) : store(&where) {}

  diagnosis::DiagnosisStore* store;
  std::deque<diagnosis::SchedulerLog> logs = {};
  SeenRecords seen = {};
  Strangers strangers = {};
  std::vector<SavedOutput*> holding = {};  ///< outputs whose last record may be only the beginning of one

  /// Whoever holds a record that is older than this one tells it.
  void tell_before(const flow::KlogRecord& next);
};

class SavedOutput {
 public:
  SavedOutput(SavedState& state, std::string_view name);

  [[nodiscard]] bool is_continued_by(std::string_view name, const PieceSpan& piece) const {
    return name == name_ && piece.follows(end_);
  }
  void begin_piece(const std::string& file, const PieceSpan& piece);
  void add(const SavedLine& line);
  /// What comes next is not the rest of the piece that was cut off.
  void lose();
  /// Reads what is left, but for a last record that may be only the beginning of one, and reports the parts that are left out.
  void finish();
  /// Tells that record, unless another output has all of it: all have to be finished, or to be at later records.
  void tell_cut();
  /// Whether it holds such a record, and none of a later time is needed to tell it.
  [[nodiscard]] bool is_held_at(std::string_view stamp) const { return last_ && last_->stamp >= stamp; }

 private:
  /// A record that may be only the beginning of one.
  struct Cut {
    std::string text;
    std::string stamp;
    std::uint64_t time = 0;
    bool own_header = false;  // another record of this output, shortly before, has the same header
  };

  void read(const flow::WholeRecord& record);
  [[nodiscard]] bool is_seen(const flow::WholeRecord& record);
  void hold(const flow::WholeRecord& record);
  void note_latest(const flow::WholeRecord& record);
  [[nodiscard]] bool has_header_of(const flow::WholeRecord& record) const;
  void tell(const flow::WholeRecord& record);
  void finish_line();
  [[nodiscard]] auto reads() {
    return [this](const flow::WholeRecord& record) { read(record); };
  }

  SavedState& state_;
  std::string name_;
  std::string files_;
  PieceSpan end_;
  bool begins_ = false;
  bool cut_ = false;  // the record that is read next ends in the middle of its line
  std::optional<Cut> last_;
  std::deque<std::string> latest_;  // the beginnings of the last records
  std::uint16_t own_;               // the number of its log
  std::uint16_t log_;  // of the log that it belongs to: another one's if they have records in common
  flow::LineAssembler lines_;
  flow::WholeRecords records_;
};

}  // namespace flowtap::cli
