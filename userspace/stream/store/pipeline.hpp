// From the journal to the flows: each stream's bytes in order, lines out of bytes, each line into its flow. It reads the journal
// as it was written, so capture never waits for it. What it does not get to in time becomes a gap that says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/flows/written.hpp"
#include "stream/journal/journal.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/lines/scheduler_lines.hpp"
#include "stream/lines/stream_gaps.hpp"
#include "stream/lines/stream_order.hpp"
#include "stream/store/flow_store.hpp"
#include "stream/store/loss_causes.hpp"

namespace flowtap::flow {

struct PipelineStats {
  std::uint64_t bytes = 0;              ///< made lines of by this process, from the journal
  std::uint64_t missing = 0;            ///< bytes that were not there
  std::uint64_t unknown_verbosity = 0;  ///< records of schedulers whose V is not known
  std::uint64_t unnamed = 0;            ///< bytes that had to make room before their stream had a name
  std::uint64_t damaged = 0;            ///< segments that could not be read
};

/// What is made of schedulers' logs.
struct SchedulerOptions {
  /// Whether the flow with this id is a scheduler's log; empty: none is.
  std::function<bool(const std::string& flow)> is_scheduler;
  FlowKeys keys;
  Level main_verbosity = 2;  ///< of the main log
  /// Gets each new line of the main log; empty: there is none.
  std::function<void(std::string_view text, bool full)> main_log;
};

/// The flow that has all of the main log.
inline constexpr const char* kMainLogFlow = "sched/main";

/// Used by one thread. It has many members, since it remembers for all streams what each of them waits for (bytes, a name, the
/// rest of a record, the time to tell of a gap), and keeps the sums that bound this waiting.
class Pipeline {
 public:
  using Clock = std::chrono::steady_clock;

  /// The journal and the store must outlive it. `journal_bytes` is what the journal keeps: before a quarter of it has passed,
  /// lines are written to their files, so that a start finds in the files what is no longer in the journal. `written_by` says
  /// where bytes after replay() are counted, since the process before has counted the rest; empty: nowhere. `losses` says what the
  /// kernel has lost of streams that have not ended; empty: nobody knows.
  Pipeline(Journal& journal, FlowStore& store, std::uint64_t journal_bytes, SchedulerOptions schedulers = {},
           WrittenBy written_by = {}, KnownLosses losses = {})
      : journal_(journal),
        store_(store),
        quarter_(journal_bytes / 4),
        schedulers_(std::move(schedulers)),
        written_by_(std::move(written_by)),
        losses_(std::move(losses)) {}

  /// Takes all that the journal has from an earlier process, and then ends the flows that nobody writes to any more.
  void replay(std::uint64_t wall_ns);

  /// Takes some of what the journal has. True: there is more.
  bool take(Clock::time_point now, std::uint64_t wall_ns);

  /// When take() has something to do even if the journal has no more.
  [[nodiscard]] Clock::time_point next() const;

  [[nodiscard]] const PipelineStats& stats() const { return stats_; }

 private:
  // If a record's head goes on, the rest comes with the same write, but it may be read in parts.
  static constexpr std::chrono::seconds kRecordIsWritten{2};

  /// Bytes that came before their stream had a name.
  struct Early {
    std::uint64_t offset = 0;
    std::string bytes;
    std::uint64_t time = 0;
    std::uint64_t number = 0;  ///< in the order in which they came
    /// Its size in memory, since there may be many of a single byte.
    [[nodiscard]] std::size_t size() const { return sizeof(Early) + bytes.size(); }
  };
  /// One stream on its way into flows. It has many members, since bytes, name, end and a scheduler's records come independently
  /// of each other: whichever comes, the state of the others is needed.
  struct Stream {
    StreamNo number = 0;
    StreamOrder order;
    LineAssembler lines;
    FlowStore::Ref flow;               ///< empty: it has no name yet
    std::shared_ptr<Written> written;  ///< null: nobody counts it
    std::string output;
    bool terminal = false;
    std::list<Early> early;  ///< almost always empty, which a deque takes half a KiB for
    std::size_t early_bytes = 0;
    std::uint64_t time = 0;     // of the last bytes
    std::uint64_t quarter = 0;  // the quarter of the journal in which they came
    bool begun = false;         // it is known where it begins
    bool ended = false;
    bool finished = false;     ///< its flow knows that it has ended
    std::uint64_t passed = 0;  // of a stream that has ended: its length
    std::uint64_t end_time = 0;
    std::uint64_t missed_to = 0;              // as a MissedEntry says
    bool broke_off = false;                   // as one says of no bytes
    std::unique_ptr<SchedulerLines> records;  // of a scheduler's log
    Clock::time_point held_since{};           // since when lines of a record wait for its flow
    StreamGaps gaps;                          // of a scheduler's log
    LossCauses causes;
    Clock::time_point gaps_told_at = Clock::time_point::max();  // to the flows around; max: not known yet
  };

  void take_entries(std::span<const std::byte> entries, Clock::time_point now, std::uint64_t wall_ns);
  void end_missed(Clock::time_point now);
  void enter(const EntryView& view, FlowStore::Writing& writing, Clock::time_point now);
  void bytes(const BytesEntry& entry, FlowStore::Writing& writing, Clock::time_point now);
  void name(const StreamEntry& entry, FlowStore::Writing& writing);
  void state(const StateEntry& entry, FlowStore::Writing& writing);
  static void note_runtime(const Stream& stream, const StreamName& name, FlowStore::Writing& writing);
  void begin(Stream& stream, FlowStore::Writing& writing);
  void finish(Stream& stream, FlowStore::Writing& writing);
  void end(const EndEntry& entry, FlowStore::Writing& writing, Clock::time_point now);
  void missed(const MissedEntry& entry, FlowStore::Writing& writing);
  void miss_to(Stream& stream, std::uint64_t to, std::uint64_t time, FlowStore::Writing& writing);
  void tell_missed(Stream& stream, FlowStore::Writing& writing);
  void give_up_gaps(Clock::time_point now);
  void finish_old_lines();
  void next_quarter(Clock::time_point now, std::uint64_t wall_ns);
  void give(Stream& stream, std::uint64_t offset, std::string_view bytes, std::uint64_t time,
            FlowStore::Writing& writing);
  void give_up(Stream& stream, Clock::time_point now, FlowStore::Writing& writing);
  void miss(Stream& stream, std::uint64_t to, FlowStore::Writing& writing);
  void count_for(Stream& stream, const std::string& flow) const;
  void add(Stream& stream, const LineView& line, FlowStore::Writing& writing);
  void add_gap(Stream& stream, std::uint64_t from, std::uint64_t to, FlowStore::Writing& writing);
  void add_break(const Stream& stream, FlowStore::Writing& writing);
  [[nodiscard]] MissingCause why_missing(Stream& stream, std::uint64_t from, std::uint64_t to) const;
  [[nodiscard]] bool know_scheduler(Stream& stream);
  void take_earlier_records(Stream& stream, FlowStore::Writing& writing);
  void add_to_records(Stream& stream, const LineView& line, FlowStore::Writing& writing);
  void add_record_line(const Stream& stream, const SchedulerLine& line, FlowStore::Writing& writing);
  void flush_record(Stream& stream, FlowStore::Writing& writing);
  void flush_records(Clock::time_point now);
  void add_source_gap(Stream& stream, std::uint64_t to, std::uint64_t bytes, FlowStore::Writing& writing);
  void add_source_break(const Stream& stream, FlowStore::Writing& writing);
  static void mark_gaps(const Stream& stream, FlowStore::Flow& flow, std::uint64_t time,
                        FlowStore::Writing& writing);
  void tell_gaps(Clock::time_point now);
  static void renew(Stream& stream, FlowStore::Writing& writing);
  void hold(Stream& stream, Early early);
  void drop_early(Stream& stream);
  [[nodiscard]] std::list<Early> take_early(Stream& stream);
  void forget_ended(Clock::time_point now);

  Journal& journal_;
  FlowStore& store_;
  const std::uint64_t quarter_;
  const SchedulerOptions schedulers_;
  const WrittenBy written_by_;
  const KnownLosses losses_;
  bool replays_ = false;
  JournalPlace place_;
  std::vector<std::byte> room_;  // for what is read of the journal
  std::unordered_map<StreamNo, Stream> streams_;
  std::vector<StreamNo> waiting_;  // streams that wait for bytes
  std::vector<StreamNo> held_;     // streams with lines of a record whose flow is not known yet
  std::vector<StreamNo> gapped_;   // streams with gaps that the flows around have to be told of
  std::string flow_id_;            // of a record
  struct Ended {
    StreamNo stream;
    Clock::time_point at;
  };
  std::deque<Ended> ended_;
  bool end_may_be_missed_ = false;  // a part of the journal was not read
  std::size_t early_bytes_ = 0;     // of all streams
  std::uint64_t early_number_ = 0;
  std::map<std::uint64_t, StreamNo> oldest_early_;  // by the number of each such stream's first bytes
  std::uint64_t since_flush_ = 0;                   // bytes of the journal
  std::uint64_t quarters_ = 0;
  PipelineStats stats_;
};

}  // namespace flowtap::flow
