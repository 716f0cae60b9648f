// What a flow's source wrote before the lines that the store has. The journal may have it, or the runtime's files, or nobody has it
// any more, and the reader is told so.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "component/views/flow_views.hpp"
#include "stream/journal/journal.hpp"
#include "stream/reading/earlier/journal_part.hpp"
#include "stream/reading/earlier/journal_seam.hpp"
#include "stream/reading/forms/form.hpp"
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
/// equally far. Where the runtime's files end before the store begins, the journal goes on with what it has. This class has many
/// members, since it remembers of each of the two how far it reaches and how far it was read. Used by one thread.
class EarlierLines {
 public:
  /// All must outlive it; `flow` may be empty, and `histories` null.
  EarlierLines(const flow::FlowStore& store, const flow::FlowStore::Ref& flow, const std::string& id,
               const api::LogReadOptions& options, Histories* histories, const LogOrigin& origin)
      : store_(store), flow_(flow), id_(id), options_(options), histories_(histories), origin_(origin) {}

  /// Looks who has earlier lines. If the store has nothing of an output, all that it has written since `silent` (ns since 1970) was
  /// captured. Moves the span if it has to begin further on.
  [[nodiscard]] Status find(ReadingSpan& span, std::uint64_t silent);
  /// Finds out what has to be known before the first line. False: call it again.
  [[nodiscard]] Result<bool> step(ReadingSpan& span);
  /// There is something to read.
  [[nodiscard]] bool any() const {
    return history_ != nullptr || reads_journal_ || counted_ != nullptr || gap_ > 0 || is_before_unknown_;
  }
  /// It is known how much of it is missing. Whether the runtime's files lack some is seen only where they have been read.
  [[nodiscard]] bool is_missing_known() const {
    return is_missing_known_ && !(history_ && misses_at_end_ && reads_all());
  }
  /// Where the reading goes on in the store's log, if the log's beginning has moved since the span was found. Nothing: it was not
  /// looked for.
  [[nodiscard]] const std::optional<StorePlace>& read_to() const { return read_to_; }

  /// To be called if the store has given up lines that were still to be read. `bytes` were read there of each output since any() was
  /// true. True: any() is true again, since the journal has these lines or knows how many bytes they were.
  [[nodiscard]] bool go_on_behind(const OfOutputs& bytes);

  /// Gives some lines, or fewer if the piece ends before. A fault of the runtime's files becomes a message in the form.
  [[nodiscard]] Status read(const TakeLine& take, Form& form, Form::Piece& piece, ReadingSpan& span);

 private:
  static constexpr std::uint64_t kNoTime = ~std::uint64_t{0};
  /// How many bytes are read before others have their turn.
  static constexpr std::size_t kHistorySlice = std::size_t{64} << 10U;

  [[nodiscard]] bool has_enough(const ReadingSpan& span,
                                const std::optional<flow::FlowStore::Standing>& standing) const;
  [[nodiscard]] Result<bool> open_history(const ReadingSpan& span, std::uint64_t silent);
  [[nodiscard]] std::optional<bool> is_journal_better();
  [[nodiscard]] Result<bool> choose(ReadingSpan& span);
  [[nodiscard]] Status miss_beginning(const flow::FlowStore::Bounds& bounds, const ReadingSpan& span);
  [[nodiscard]] bool reads_all() const { return !options_.tail_lines && !options_.since; }
  void miss_end();
  [[nodiscard]] bool look_for_seam();
  void go_on_in_journal();
  void note_read(const flow::CriLine& line);
  void start_history(const ReadingSpan& span);
  [[nodiscard]] bool step_history(ReadingSpan& span);
  [[nodiscard]] bool count_history();
  void miss_before(const flow::FlowStore::Bounds& bounds);
  [[nodiscard]] std::array<bool, 2> covers_gap(const History& history) const;
  [[nodiscard]] std::uint64_t first_gaps(const History& history) const;
  void miss(std::uint64_t all, std::uint64_t had);
  void give_gap(const TakeLine& take);
  [[nodiscard]] Status read_journal(const TakeLine& take, Form::Piece& piece, ReadingSpan& span);
  void read_history(const TakeLine& take, Form& form, Form::Piece& piece, ReadingSpan& span);

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
  std::array<HistoryRead, 2> read_{};    // of its outputs
  std::optional<JournalSeam> seam_;      // while it is looked for in counted_
  std::unique_ptr<History> counted_;     // the same, while its bytes are counted
  std::uint64_t counted_bytes_ = 0;      // so far
  std::uint64_t counted_ends_ = 0;       // of them, newlines
  std::uint64_t replaced_ =
      0;  // how often they, or those that were read, have U+FFFD for what may be one byte
  std::optional<flow::FlowStore::Standing>
      standing_;  // where the store stood when we looked who has earlier lines
  std::uint64_t silent_ = 0;
  bool chooses_ = false;  // it is being found out whether the journal or the runtime's file is read
  std::optional<JournalPart> in_journal_;
  std::optional<OfOutputs> ends_;  // where the outputs ended when we looked who has earlier lines
  bool reads_journal_ = false;
  bool is_missing_known_ = true;
  std::optional<StorePlace> read_to_;
  std::uint64_t gap_ = 0;       // bytes that nobody has any more, before what is read next
  std::uint64_t gap_time_ = 0;  // of what is read next, ns since 1970
  flow::MissingCause gap_cause_ = flow::MissingCause::kMadeRoom;
  bool is_before_unknown_ = false;  // more was written before all that is read, and nobody has counted it
  bool counts_before_ = false;  // what was written before the capture is among what the history has to have
  bool counts_all_ = false;     // all that the history has is so, however old it is
  bool misses_at_end_ = false;  // what the history lacks is known when it has been read
  bool tells_first_gaps_ = false;    // gaps at the store's beginning are among what it has to have
  bool knows_returns_ = true;        // it is known how many "\r" were among them
  std::uint64_t wanted_ = 0;         // bytes that the history has to have yet, as far as is known
  std::uint64_t captured_from_ = 0;  // older lines of the history are not among these, ns since 1970
  bool gap_at_most_ = false;         // perhaps fewer
  bool gap_told_ = false;            // the span's missing bytes have it
};

}  // namespace flowtap
