// One output of a scheduler: a log of its own, in one saved file or in several pieces.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "explain/diagnosis/scheduler_log.hpp"
#include "log_pieces.hpp"
#include "seen_records.hpp"
#include "strangers.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/lines/whole_records.hpp"
#include "unwrap/unwrapper.hpp"

namespace flowtap::cli {

/// What all outputs share. A log's number is its place.
struct SavedState {
  explicit SavedState(diagnosis::DiagnosisStore& where) : store(&where) {}

  diagnosis::DiagnosisStore* store;
  std::deque<diagnosis::SchedulerLog> logs = {};
  SeenRecords seen = {};
  Strangers strangers = {};
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
  /// Reads what is left, but for a last record that may end within a name, and reports the parts that are left out.
  void finish();
  /// Reads that record, too. All outputs have to be finished, since another one may have all of it.
  void finish_cut();

 private:
  /// A record whose text has no end that tells itself.
  struct Cut {
    std::string text;
    std::uint64_t time = 0;
  };

  void read(const flow::WholeRecord& record);
  void read_cut(const flow::WholeRecord& record);
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
  bool cut_ = false;   // the record that is read next ends in the middle of its line
  bool ends_ = false;  // nothing comes behind it
  std::optional<Cut> last_;
  std::uint16_t own_;  // the number of its log
  std::uint16_t log_;  // of the log that it belongs to: another one's if they have records in common
  flow::LineAssembler lines_;
  flow::WholeRecords records_;
};

}  // namespace flowtap::cli
