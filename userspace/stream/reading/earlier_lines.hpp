// What a flow's source wrote before the lines that the store has. The journal may have it, or the runtime's files, or nobody has it
// any more, and the reader is told so.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "component/views/flow_views.hpp"
#include "stream/journal/journal.hpp"
#include "stream/lines/shown_lines.hpp"
#include "stream/reading/forms/form.hpp"
#include "stream/reading/journal_lines.hpp"
#include "stream/reading/reading_start.hpp"
#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// What is known of a flow beside its lines.
struct LogOrigin {
  const flow::Journal* journal =
      nullptr;  ///< has what has made room in the store, for a while; null: it is not asked
  /// Its runtime drops "\r" before a newline. So it is left out of what was captured, too: the log must be the same from wherever
  /// its lines come.
  bool drops_returns = false;
};

/// Lines that were never captured can only be in the runtime's files. Of what has made room in the store, the journal has the very
/// bytes; the runtime's files reach further back as a rule. Whichever reaches further back is read, and the journal if both reach
/// equally far. Used by one thread.
class EarlierLines {
 public:
  /// All must outlive it; `flow` may be empty, and `histories` null.
  EarlierLines(const flow::FlowStore& store, const flow::FlowStore::Ref& flow, const std::string& id,
               const api::LogReadOptions& options, Histories* histories, const LogOrigin& origin)
      : store_(store),
        flow_(flow),
        id_(id),
        options_(options),
        histories_(histories),
        origin_(origin),
        numbers_(options.whole_lines) {}

  /// Chooses what to read. `silent` is the time from which on all is captured of an output that the store has nothing of, in ns
  /// since 1970. Moves the span if it has to begin further on: the journal's lines reach up to where the store stands by then.
  [[nodiscard]] Status find(ReadingSpan& span, std::uint64_t silent);
  /// Finds out what has to be known before the first line. False: call it again.
  [[nodiscard]] bool step(ReadingSpan& span);
  /// There is something to read.
  [[nodiscard]] bool any() const { return history_ != nullptr || lines_.has_value() || gap_ > 0; }
  /// It is known how much of it is missing.
  [[nodiscard]] bool is_missing_known() const {
    return !lines_ || options_.tail_lines || (!options_.since && options_.outputs == api::Outputs::kBoth);
  }

  /// `captured`: the line was captured, and was not read from the runtime's files.
  using Take = std::function<void(const flow::CriLine& line, bool captured)>;
  /// Gives some lines; fewer than any() has promised if the piece ends before. A fault of the runtime's files is said in the form.
  void read(const Take& take, Form& form, Form::Piece& piece);

 private:
  [[nodiscard]] Result<bool> open_history(const ReadingSpan& span, std::uint64_t silent);
  [[nodiscard]] bool is_journal_better(std::uint64_t stored) const;
  void take_journal(const flow::FlowStore::Standing& standing, ReadingSpan& span);
  void miss_beginning(const flow::FlowStore::Bounds& bounds);
  void start_history(const ReadingSpan& span);
  [[nodiscard]] std::uint64_t number_of(const flow::CriLine& line);
  [[nodiscard]] bool count_tail(ReadingSpan& span);
  [[nodiscard]] bool count_history(ReadingSpan& span);
  void give_gap(const Take& take);
  void read_history(const Take& take, Form& form, Form::Piece& piece);

  const flow::FlowStore& store_;
  const flow::FlowStore::Ref& flow_;
  const std::string& id_;
  const api::LogReadOptions& options_;
  Histories* histories_;
  const LogOrigin origin_;

  flow::LogPosition begin_ = 0;          // of the store's log, when the history was opened
  SeamKeys keys_;                        // where the store's lines begin
  std::unique_ptr<History> history_;     // kept as long as there is some to read
  std::optional<std::uint64_t> oldest_;  // time of its first line
  std::unique_ptr<History> counted_;     // the same, while its bytes are counted
  std::uint64_t counted_bytes_ = 0;      // so far
  std::uint64_t counted_ends_ = 0;       // of them, newlines
  std::optional<JournalLines> lines_;    // kept as long as there are some to read
  bool counts_lines_ = false;            // how many there are is being found out
  flow::LineNumbers numbers_;            // of the journal's lines
  std::uint64_t leave_out_ = 0;          // lines before the last ones that are wanted
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      gaps_;                    // missing bytes, by the number of lines before them
  std::uint64_t gap_ = 0;       // bytes that nobody has any more, before all that is read
  std::uint64_t gap_time_ = 0;  // ns since 1970
  bool gap_told_ = false;       // the span's missing bytes have it
};

}  // namespace flowtap
