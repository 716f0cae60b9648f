// The logs of all flows, within bounds. Lines are gathered in memory, and written behind their flow's file when they are many or
// have waited long enough. The oldest content makes room for new. Within a flow this is its oldest lines. Across flows it is
// those that nobody writes to any more, the oldest first; then the older half of the largest, so that whoever writes most pays;
// and where none is large, the flow that has been silent for longest.
//
// kill -9 at any moment loses and doubles nothing as long as the journal has what was not written. Each flush writes the lines,
// and then to the index how long the file is and where its streams stand. A start cuts the file to that length. Lines that are
// added again from the journal are left out if they stand in the file already.
//
// If the file system cannot be written to, what memory cannot hold is lost and counted, and nothing stops.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.hpp"
#include "stream/journal/follower.hpp"
#include "stream/store/flow_log.hpp"
#include "stream/store/index/flow_index.hpp"
#include "stream/store/past_flows.hpp"

namespace flowtap::flow {

/// Flows whose ids begin with this have some of other flows' lines: they are made of schedulers' logs.
inline constexpr std::string_view kDerivedFlows = "sched/";

struct StoreOptions {
  std::string dir;                                     ///< made anew if somebody removes it
  std::uint64_t flow_bytes = std::uint64_t{4} << 20U;  ///< of one flow; half of it goes when there are more
  std::uint64_t store_bytes = std::uint64_t{32}
                              << 20U;  ///< of all files, as the file system counts: in pages
  std::size_t flows = 4096;
  std::size_t buffers = 1024;                             ///< flows with lines in memory
  std::uint64_t buffer_bytes = std::uint64_t{64} << 10U;  ///< of one flow's lines in memory
  std::uint64_t buffers_bytes = std::uint64_t{8} << 20U;  ///< of all
  std::chrono::milliseconds idle{1000};                   ///< how long lines wait in memory
  std::chrono::seconds age{12 * 3600};                    ///< how long a flow is kept after its end
};

/// Why something made room. The words stand in metrics.
enum class Eviction : std::uint8_t {
  kFlowBytes,
  kStoreBytes,
  kFlows,
  kAge,
  kUnwritable,
  kFile  ///< its file is not as it was written: somebody removed or cut it, it cannot be opened, or a kill came amid making room
};
constexpr std::size_t kEvictions = 6;
[[nodiscard]] std::string_view to_string(Eviction reason);

struct StoreStats {
  std::uint64_t lines = 0;  ///< as people see them, added by this process
  std::uint64_t flows = 0;  ///< now, like the four that follow
  std::uint64_t open_flows = 0;
  std::uint64_t buffers = 0;
  std::uint64_t buffered_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::array<std::uint64_t, kEvictions> evicted_bytes{};
  std::array<std::uint64_t, kEvictions> evicted_flows{};  ///< whole ones
  Lacked gone =
      {};  ///< what flows that have made room have lacked, but for those that are made of others' lines
  std::uint64_t missed_lines = 0;  ///< that made room before a follower had read them
  std::uint64_t write_errors = 0;
  std::uint64_t index_errors = 0;
  std::string last_error;  ///< empty: the last flush succeeded
};

/// The room that a file of this many bytes takes, as the file system counts.
constexpr std::uint64_t kFilePage = 4096;
[[nodiscard]] constexpr std::uint64_t file_pages(std::uint64_t bytes) {
  return (bytes + kFilePage - 1) / kFilePage * kFilePage;
}

/// What can be told of a flow.
struct FlowSummary {
  std::string id;
  std::uint64_t lines = 0;  ///< as people see them
  std::uint64_t bytes = 0;  ///< of its streams, up to where they stand in its log
  std::uint64_t missing = 0;
  std::uint64_t refilled = 0;  ///< bytes that were missing, and were found elsewhere
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t ended = 0;   ///< when its last stream did; 0: it is open
  bool derived = false;      ///< its lines are also in other flows
  Before before = {};        ///< neither in `lines` nor in `bytes`
  bool sought = false;       ///< what is missing may be found yet
  std::string runtime = {};  ///< of its container; empty: it is not known, or there is none
  bool broke_off = false;    ///< as FlowState has it

  [[nodiscard]] bool open() const { return ended == 0; }
};

/// One thread writes (Writing, flush); any thread reads, and fills gaps. It has many members, since one lock guards them all: the
/// flows, what of them waits to be written or told, and the sums and times by which the bounds are kept.
class FlowStore {
 public:
  using Clock = std::chrono::steady_clock;

  struct Flow;
  /// Flows of one name, each after the one before had to make room while its source still wrote. The next one goes on with the
  /// number and positions as long as anybody holds an earlier one, so that a follower goes on, too, and knows what it has missed.
  struct Succession {
    std::uint64_t number = 0;
    std::weak_ptr<Flow> latest;
    std::size_t open_streams = 0;  ///< also those that have not written since the last one had to go
    // The rest is about the last flow that is gone.
    FlowState left = {.id = {}, .streams = {}};
    bool ended = false;     ///< nothing more comes under its name
    std::string into = {};  ///< the flow that its lines have become a part of, if they have
  };
  struct Flow {
    Flow(std::shared_ptr<Succession> of, const std::string& dir, FlowState state, bool is_derived)
        : succession(std::move(of)),
          number(succession->number),
          log(dir, std::move(state), !is_derived),
          derived(is_derived) {}
    const std::shared_ptr<Succession> succession;
    const std::uint64_t number;  ///< of this process; followers are told by it
    FlowLog log;
    bool terminal = false;  ///< one of its streams was a terminal's
    bool gone = false;      ///< it had to make room: a writer asks for it anew
    bool fresh = false;     ///< nothing was known of it when it was asked for
    /// Its lines are some of other flows' lines, so it has no end. Its age counts from its last line, and when it has been silent
    /// for a while it makes room as if it had ended with that line.
    const bool derived;
    /// Since when nothing is expected of it; 0: something is.
    [[nodiscard]] std::uint64_t over_since() const { return derived ? log.last() : log.ended(); }
    bool touched = false;
    std::uint64_t change = 0;         ///< the latest one that changes_since() tells of
    Clock::time_point waits_since{};  ///< lines in memory
    Clock::time_point retry{};        ///< a write failed: it is not tried again before this
  };
  using Ref = std::shared_ptr<Flow>;

  /// Goes on with what the index knows. said() tells what could not be read.
  [[nodiscard]] static std::unique_ptr<FlowStore> open(StoreOptions options);
  [[nodiscard]] const std::vector<std::string>& said() const { return said_; }
  [[nodiscard]] const StoreOptions& options() const { return options_; }

  /// Whoever adds lines holds one of these meanwhile, and must let go of it soon, since readers wait.
  class Writing {
   public:
    explicit Writing(FlowStore& store, Clock::time_point now);
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    [[nodiscard]] Ref flow(const std::string& id);
    /// False: the line is there already, from before a start.
    bool add(Flow& flow, StreamNo stream, std::string_view output, const LineView& line);
    void add_gap(Flow& flow, StreamNo stream, std::string_view output, std::uint64_t to, std::uint64_t time,
                 MissingCause cause = MissingCause::kUnknown);
    /// See FlowLog::add_source_gap().
    bool add_source_gap(Flow& flow, StreamNo stream, std::string_view output, std::uint64_t to,
                        std::uint64_t bytes, std::uint64_t time);
    /// See FlowLog::add_break(). The flow is one whose capture broke off.
    bool add_break(Flow& flow, StreamNo stream, std::string_view output, std::uint64_t time);
    static void skip_break(Flow& flow, StreamNo stream) { flow.log.skip_break(stream); }
    /// The flows that have lines of this stream, which belongs to another flow.
    template <typename Take>
    void derived_from(StreamNo stream, Take&& take) {
      for (const auto& [id, flow] : store_.flows_)
        if (flow->derived && flow->log.position_of(stream)) take(*flow);
    }
    /// The flow was found out to be another one, which has one stream more than said. It takes that one's name. If there is such
    /// a flow already, the lines go there. Returns the flow that has them.
    [[nodiscard]] Ref rename(const Ref& flow, const std::string& id);
    /// Notes whose container it is, for when nobody else knows it any more.
    void set_runtime(Flow& flow, std::string runtime);
    /// Notes that the capture of one of its streams broke off.
    void set_broke_off(Flow& flow);
    void open_stream(Flow& flow, bool terminal = false);
    void end_stream(Flow& flow, std::uint64_t time);
    /// The flow with the name of one that had to make room, for a stream that was open there and still is.
    [[nodiscard]] Ref renew(Flow& gone, std::uint64_t time, bool terminal = false);
    /// There are more lines in memory than allowed: let go, and call flush().
    [[nodiscard]] bool has_too_much() const { return store_.too_much(); }

   private:
    void touch(Flow& flow);
    void note_state(const Flow& flow);
    FlowStore& store_;
    std::unique_lock<std::mutex> lock_;
    Clock::time_point now_;
  };

  /// Begins as after a start: the writer tells of all streams again.
  void forget_streams();
  /// Nothing will come any more of streams other than these.
  void keep_streams(const std::unordered_set<StreamNo>& streams);
  /// Ends the flows of which no stream is known: they ended earlier.
  void end_orphans(std::uint64_t time);

  /// Writes what has waited long enough or is too much; with `all`, everything. Enforces the bounds.
  void flush(Clock::time_point now, std::uint64_t wall_ns, bool all = false);
  /// Makes room as if the files had to be smaller by this many bytes. Returns by how many they are.
  std::uint64_t give_up(std::uint64_t bytes);
  /// There are more lines in memory than allowed: call flush().
  [[nodiscard]] bool has_too_much() const;
  /// When flush() has something to do next; max: never.
  [[nodiscard]] Clock::time_point next_flush() const;

  /// Nothing: it is not known.
  [[nodiscard]] Ref find(const std::string& id) const;
  /// A flow that is open and had to make room, or has no line yet, is known from now on. Safe from any thread.
  void expect(const std::string& id);
  [[nodiscard]] Result<LogPart> read(const Flow& flow, LogPosition from, std::size_t limit) const;
  /// Finds out whether somebody has removed or cut the flow's file, so that what it had counts as gone before anybody reads it. Safe
  /// from any thread.
  void check_file(const Ref& flow);
  /// The same of all flows.
  void check_files();
  /// The flow that goes on in the place of one that had to make room; its followers are told when it has lines. Empty: there is
  /// none yet.
  [[nodiscard]] Ref successor(const Flow& gone) const;
  struct Bounds {
    LogPosition begin = 0;
    LogPosition end = 0;
    std::uint64_t lines_before = 0;  ///< of the flow's, before `begin`
    std::uint64_t lines = 0;         ///< in all, up to `end`
    std::uint64_t missing = 0;       ///< bytes of its streams in gaps, also those that have made room
    std::size_t edits = 0;           ///< how many gaps have been filled; each moves what is behind it
    bool broke_off = false;          ///< as FlowState has it
    bool terminal = false;           ///< it was captured where it was written, not where its runtime read it
    std::uint64_t bytes = 0;         ///< of its streams, up to `end`
    std::uint64_t made_room = 0;     ///< of these, bytes before `begin`
    std::optional<std::uint64_t> made_room_returns =
        0;                    ///< how many "\r" before newlines were among them; absent: it is not known
    std::uint64_t first = 0;  ///< time of its very first line, ns since 1970
    bool from_start = true;   ///< its first line is the first that its source wrote, as far as is known
    Before before;            ///< what its source wrote before
  };
  /// Nothing: it had to make room.
  [[nodiscard]] std::optional<Bounds> bounds(const Flow& flow) const;
  /// The same, and up to where each of its streams stands at Bounds::end.
  struct Standing {
    Bounds bounds;
    std::map<StreamNo, std::uint64_t> streams;
  };
  [[nodiscard]] std::optional<Standing> standing(const Flow& flow) const;
  [[nodiscard]] std::vector<FlowSummary> flows() const;
  [[nodiscard]] std::optional<FlowSummary> summary(const std::string& id) const;
  /// Why bytes of the flow are missing, whether it has made room or not; kUnknown: that is not known, or differs.
  [[nodiscard]] MissingCause gap_cause(const std::string& id) const;
  /// Flows that have made room: the journal may still have what they had. Not all if there were many.
  [[nodiscard]] std::vector<FlowSummary> past_flows() const;
  /// Flows that have become known, got another name, ended or were opened again after a change, and the number of the newest
  /// change. After change 0: all.
  struct Changes {
    std::vector<std::string> flows;
    std::uint64_t upto = 0;
  };
  [[nodiscard]] Changes changes_since(std::uint64_t change) const;
  /// The follower is told after each of these changes, and of news_of_flows().
  [[nodiscard]] Result<std::shared_ptr<Follower>> follow_changes();
  /// Something known of flows beside their lines has changed.
  void news_of_flows();

  /// What the flow's source wrote before it was captured, if it is not counted already. `amid`: its stdout and stderr ended amid a line
  /// of that, and whatever is captured of such an output came after whoever counted began. Safe from any thread.
  void set_before(const std::string& id, const Before& before, const std::array<bool, 2>& amid = {});

  /// Moves positions, and the number of lines before the first of them, from where they stood after this many edits to where they
  /// stand now. Returns how many edits there are now. A reader moves all of its positions in one call, since another edit may
  /// come between two calls.
  std::size_t move(const Flow& flow, std::size_t edits, std::span<LogPosition* const> positions,
                   std::uint64_t& lines) const;

  /// `told` is called under the store's lock when there is a flow with gaps that take_gapped() has not told of yet.
  void when_gapped(std::function<void()> told);
  /// The flows that have got gaps since the last call, and those with gaps that have ended. What they lack is sought, as it was
  /// before, until settle_gaps().
  [[nodiscard]] std::vector<std::string> take_gapped();
  /// Whoever took this flow looks no longer for what it lacks.
  void settle_gaps(const std::string& id);
  /// The same of all that were taken.
  void settle_gaps();
  /// Puts lines in the place of gaps, which are in order, while others write and read. Safe from any thread. Returns the bytes
  /// that are no longer missing. A gap that is not there (any more) is left alone. Flows that ended earlier make room for it, and where
  /// that is not enough, its own oldest lines do, which may be some of those that were found. Error code ENOSPC: other flows' newer
  /// lines would have to, or too little of this one would be left.
  [[nodiscard]] Result<std::uint64_t> fill(const Ref& flow, std::span<const GapFill> fills);

  /// The follower is told after lines were added to this flow, or when it ended or is gone.
  [[nodiscard]] std::shared_ptr<Follower> follow(const Flow& flow,
                                                 Followers::Hurry hurry = Followers::Hurry::kYes);
  /// A follower's log made room by this many lines before the follower had read them. Safe from any thread.
  void note_missed(std::uint64_t lines) { missed_lines_ += lines; }
  /// How many readers follow a flow. Safe from any thread.
  [[nodiscard]] std::size_t followers() const { return followers_.in_hurry(); }
  [[nodiscard]] StoreStats stats() const;

 private:
  explicit FlowStore(StoreOptions options) : options_(std::move(options)) {}

  void load();
  [[nodiscard]] Ref make(FlowState state);
  [[nodiscard]] std::shared_ptr<Succession> left_by(const std::string& id) const;
  void note_change(Flow& flow);
  void find_files();
  [[nodiscard]] bool too_much() const;
  [[nodiscard]] bool is_due(const Flow& flow, Clock::time_point now) const;
  void limit_unwritten();
  // All changes of a log's size are made here, so that the sums stay true.
  template <typename Change>
  auto change(FlowLog& log, Change&& change) {
    const std::uint64_t files = file_pages(log.written().length);
    const std::size_t buffered = log.buffered();
    auto result = change();
    file_bytes_ = file_bytes_ - files + file_pages(log.written().length);
    buffered_ = buffered_ - buffered + log.buffered();
    count_lost(log);
    return result;
  }
  void count_lost(FlowLog& log) {
    stats_.evicted_bytes.at(static_cast<std::size_t>(Eviction::kFile)) += log.take_lost();
  }
  void flush_flow(const Ref& flow, Clock::time_point now);
  [[nodiscard]] bool make_room(const Flow* writer = nullptr);
  [[nodiscard]] std::uint64_t free_bytes() const;
  struct FillRoom {
    std::uint64_t most;                      ///< bytes that the flow's file may have
    Eviction reason = Eviction::kFlowBytes;  ///< of its oldest lines, if they have to go
    std::uint64_t free = 0;                  ///< bytes of the file system
    std::uint64_t takes = 0;                 ///< bytes of these for the new file
  };
  /// @param drafted  bytes of the file system that the new file takes already
  [[nodiscard]] Result<FillRoom> make_room_for(const Flow& flow, std::span<const GapFill> fills,
                                               std::uint64_t drafted = 0);
  [[nodiscard]] bool make_room_before(const Flow& flow, std::uint64_t grows);
  void shrink(const Ref& flow, std::uint64_t bytes, Eviction reason);
  void remove(const Ref& flow, Eviction reason);
  void forget(const Ref& flow);
  void remove_old(std::uint64_t wall_ns);
  [[nodiscard]] bool is_over(const Flow& flow) const;
  [[nodiscard]] Ref oldest_over() const;
  [[nodiscard]] Ref longest_silent(std::uint64_t least, const Flow* but = nullptr) const;
  [[nodiscard]] Ref largest() const;
  void enforce(std::uint64_t wall_ns);
  void write_index();
  void note_gaps(const Flow& flow);
  [[nodiscard]] FlowSummary summary_of(const Flow& flow) const;
  [[nodiscard]] bool is_sought(const Flow& flow) const;
  [[nodiscard]] static Bounds bounds_of(const Flow& flow);

  const StoreOptions options_;
  std::vector<std::string> said_;
  Followers followers_;
  CriTime clock_;

  std::mutex filling_;  // taken before the other one
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Ref> flows_;
  std::unordered_map<std::string, std::weak_ptr<Succession>> left_;  // by ids of flows that are gone, if held
  std::unordered_map<std::uint64_t, Ref>
      waiting_;  // with lines in memory, or an end that is not in the index
  std::optional<FlowIndex> index_;
  Clock::time_point next_flush_ = Clock::time_point::max();
  static constexpr std::uint64_t kChanges = 0;  // no flow's number: followers of all changes follow it
  std::uint64_t next_number_ = kChanges + 1;
  std::uint64_t changes_ = 0;
  std::uint64_t buffered_ = 0;    // bytes
  bool full_ = false;             // some flow has more than buffer_bytes
  std::uint64_t file_bytes_ = 0;  // in pages
  std::vector<std::uint64_t> touched_;
  std::vector<Ref> changed_;  // flows whose states the index has to get
  std::vector<std::string> gone_;
  PastFlows past_;
  bool index_is_behind_ = false;  // a write of it failed: it has to be written as a whole
  std::uint64_t wall_ = 0;        // of the last flush, ns since 1970
  static constexpr std::uint64_t kLookPause = 1'000'000'000;  // ns, between looks for flows that are too old
  std::uint64_t aged_ = 0;    // when it was last looked for flows that are too old, ns since 1970
  std::uint64_t old_at_ = 0;  // when the next one is; 0: none will be
  bool more_age_ = false;     // flows that have ended since
  StoreStats stats_;
  std::unordered_set<std::string> gapped_;  // ids of flows that nobody has taken yet
  std::unordered_set<std::string> taken_;   // ids of those that somebody has
  std::function<void()> told_of_gap_;
  std::atomic<std::uint64_t> missed_lines_{0};
};

}  // namespace flowtap::flow
