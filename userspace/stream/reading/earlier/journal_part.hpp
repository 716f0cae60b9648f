// What has made room in the store's log of a flow, as the journal still has it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "component/views/flow_views.hpp"
#include "stream/journal/journal.hpp"
#include "stream/lines/shown_lines.hpp"
#include "stream/reading/earlier/journal_lines.hpp"
#include "stream/reading/earlier/stored_outputs.hpp"
#include "stream/reading/forms/form.hpp"
#include "stream/reading/reading_start.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// `captured`: the line was captured, and was not read from the runtime's files.
using TakeLine = std::function<void(const flow::CriLine& line, bool captured)>;

/// Where the store's log of a flow begins, and how many of its lines stood before that.
struct StorePlace {
  flow::LogPosition at = 0;
  std::uint64_t lines = 0;
};

/// Its lines are given up to where the store's log begins. Where both have something, the store has more: what was found again, and
/// what could not be written into the journal. If the store makes room while it is read, the reader goes on with the journal, and
/// comes back. This class has many members, since it has a place in the journal and one in the store. Used by one thread.
class JournalPart {
 public:
  /// All must outlive it; `flow` may be empty. `standing` is that of the flow, and nothing without it.
  JournalPart(const flow::FlowStore& store, const flow::FlowStore::Ref& flow, const std::string& id,
              const api::LogReadOptions& options, const flow::Journal& journal,
              const std::optional<flow::FlowStore::Standing>& standing);

  [[nodiscard]] const JournalLines::Reach& reach() const { return lines_.reach(); }

  /// Whether what it has from before this time (ns since 1970) is at least as much as what it lacks from then on. Nothing: call it
  /// again, with the same time.
  [[nodiscard]] std::optional<bool> has_more_before(std::uint64_t time);

  /// It is to be read. Moves the span to where the store goes on.
  void begin(const std::optional<flow::FlowStore::Standing>& standing, ReadingSpan& span);
  /// Finds out what has to be known before the first line. False: call it again.
  [[nodiscard]] Result<bool> step(ReadingSpan& span);
  /// How many bytes nobody has any more, before the lines that are read next; each is told once. `time` is that of these lines, in
  /// ns since 1970.
  struct Lost {
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
  };
  [[nodiscard]] Lost take_lost();
  /// Gives some lines. False: there are no more.
  [[nodiscard]] Result<bool> read(const TakeLine& take, Form::Piece& piece, ReadingSpan& span);
  /// The store has made room behind these bytes of its outputs, which were read there since read() has given its last line.
  void go_on_behind(const OfOutputs& bytes);
  /// No more than these bytes of the outputs are asked for, counted from their beginning.
  void end_at(const OfOutputs& ends) { to_ = ends; }
  /// Where the store's log goes on. Nothing: where it ended.
  [[nodiscard]] const std::optional<StorePlace>& read_to() const { return upto_; }
  /// The span's missing bytes have those of all lines that are read.
  [[nodiscard]] bool is_missing_known() const { return is_missing_known_; }

 private:
  /// A place that is read again.
  struct Mark {
    JournalLines::Offsets next;
    JournalLines::Offsets oldest;  // that the journal had then
    flow::LineNumbers numbers;     // of the lines before it
  };

  /// How far it has got with what it has, and lacks, before a time.
  struct Weighing {
    JournalLines lines;
    std::uint64_t has = 0;
    std::uint64_t lacks = 0;
    bool is_later = false;
  };
  /// The first of the last lines that are asked for, while it is looked for.
  struct StartSearch {
    std::uint64_t leave_out = 0;                   // lines before it
    std::optional<JournalLines::Offsets> at = {};  // where it begins
    std::array<bool, 2> amid{};                    // lines that go on there
  };

  void end_where_stored();
  void take_stored(ReadingSpan& span);
  void give(const flow::CriLine& line, const TakeLine& take, Form::Piece& piece, ReadingSpan& span);
  [[nodiscard]] bool count(ReadingSpan& span);
  [[nodiscard]] bool count_lines();
  [[nodiscard]] std::uint64_t lines_to_leave_out(const ReadingSpan& span);
  void count_again();
  [[nodiscard]] std::uint64_t joined() const;
  [[nodiscard]] std::uint64_t number_of(const flow::CriLine& line) {
    return numbers_.of(line, shows_gaps(options_));
  }
  [[nodiscard]] bool find_start(ReadingSpan& span);
  [[nodiscard]] bool has_from(const Mark& mark) const;

  const flow::FlowStore& store_;
  const flow::FlowStore::Ref& flow_;
  const std::string& id_;
  const api::LogReadOptions& options_;
  const flow::Journal& journal_;
  JournalLines lines_;

  std::optional<StoredOutputs> stored_;                 // while it is found out where the store begins
  std::array<bool, 2> goes_on_{};                       // the store begins with a line of this output
  std::optional<StorePlace> upto_;                      // where it begins
  OfOutputs to_{~std::uint64_t{0}, ~std::uint64_t{0}};  // no more of the outputs is asked for
  OfOutputs skip_{};                                    // what is read next was read in the store
  std::uint64_t forgotten_ = 0;  // bytes that were passed over in streams that are forgotten since
  std::uint64_t lost_ = 0;       // to be told
  std::uint64_t all_lost_ = 0;   // told or not

  std::optional<Weighing> weighing_;
  bool counts_ = false;  // what there is is being found out
  int counts_made_ = 0;
  std::optional<StartSearch> search_;
  std::deque<Mark> marks_;
  flow::LineNumbers numbers_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      gaps_;  // missing bytes, by the number of lines before them
  bool is_missing_known_ = false;
};

}  // namespace flowtap
