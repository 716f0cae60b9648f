// The first half of the stream path, as one loop. What the ring holds goes into the journal, and then its room is the kernel's
// again. Streams get their names, and lose their slots once their end is in the journal.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/records/record_source.hpp"
#include "kernel/records/stream_control.hpp"
#include "stream/journal/consumer/namer.hpp"
#include "stream/journal/files/file_streams.hpp"
#include "stream/journal/journal.hpp"

namespace flowtap::flow {

struct ConsumerOptions {
  std::chrono::milliseconds poll{
      10};  ///< longest time that records wait in the ring while somebody waits for them
  /// The same while nobody does: each wake-up costs power. Beginnings and ends of streams, and a ring that is a quarter full,
  /// wake the consumer at any time.
  std::chrono::milliseconds rest{50};
  std::chrono::milliseconds patience{2000};   ///< a name that is not complete by then is taken as it is
  std::chrono::milliseconds sweep{1000};      ///< how often the slots are looked through
  std::chrono::milliseconds slot_rest{1500};  ///< how long after its end a stream keeps its slot
  std::chrono::seconds users{15};  ///< how often streams are looked through for those that nobody uses
  /// A taker of the journal that stands still for so long has failed.
  static constexpr std::chrono::milliseconds kTakerPatience{10'000};
  std::chrono::milliseconds taker_patience = kTakerPatience;
  /// Whether what is in the ring at the end is there for the next service. Otherwise it goes with this process.
  std::function<bool()> ring_stays = [] { return false; };
  std::chrono::milliseconds last_patience{5'000};  ///< how long the end waits for room in the journal
  /// Whether somebody follows what is made of the journal. The journal itself knows its own followers.
  std::function<bool()> followed = {};
  /// What time it is. A test has a clock of its own, so that a busy machine decides nothing.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// Streams whose names are not kept in the kernel, by why. If a service with another state directory follows, nobody can tell whose
/// they are once their source has ended.
struct UnkeptNames {
  std::uint64_t too_long = 0;
  std::uint64_t no_map = 0;
  std::uint64_t no_room = 0;
};

/// What it has done so far. Each stream's own losses are in its sums.
struct ConsumerCounts {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;           ///< of logs
  std::uint64_t broken_records = 0;  ///< records that could not be read; their bytes show as missing
  std::uint64_t drain_errors = 0;
  std::uint64_t let_go = 0;  ///< streams that belong to nothing that is captured
  std::uint64_t open_streams = 0;
  std::uint64_t nameless = 0;  ///< processes that entered and whose names are still looked for
  std::array<std::uint64_t, FTAP_NR_LOSSES>
      lost{};  ///< bytes of all streams since the programs were loaded, by cause
  UnkeptNames unkept_names;
};

/// Whether somebody has drained more of the ring than the journal knows of. That was a service with another journal, or
/// with this one before it was emptied or replaced by an older copy.
[[nodiscard]] bool was_drained_elsewhere(const RecordSource& source, const Journal& journal);

/// One thread runs round() or run(); the others may call what is said to be safe. It has many members, since one round needs them
/// all: what it works on, what it remembers of streams from one round to the next (their names, owners and ends), its pace, and
/// the counts that other threads read.
class LogConsumer {
 public:
  /// All must outlive it; without `files` no file is followed. Begins where the journal says that this ring was drained to. Streams
  /// that the journal has no name of get the one that is kept in the kernel.
  LogConsumer(RecordSource& source, Journal& journal, StreamControl& streams, Namer& namer,
              const ConsumerOptions& options = {}, FileStreams* files = nullptr);

  /// Waits for records and takes all that there are. False: nothing more will ever come.
  bool round();
  /// Runs rounds until `stop` is set, and then one more, so that what came before that is in the journal. A round that found no
  /// memory is counted, and what it should have taken is read again.
  void run(const std::atomic<bool>& stop, std::atomic<std::uint64_t>& failed) noexcept;

  /// The ring's programs are at rest, so what it holds can wait, however full it is. New records go into another ring,
  /// and `fill` says how full that one is. For the consumer's thread.
  void rest(std::function<RecordSource::Fill()> fill) { fill_ = std::move(fill); }
  /// All that the ring will ever hold was drained, so what is missing by now will not come. For the consumer's thread.
  void settle();

  /// Enters a process whose streams userspace has opened, as if the ring had told of it. Safe from any thread.
  void enter(Enter enter);
  /// Names a stream that somebody opened for a purpose of its own. Safe from any thread.
  void name(StreamNo stream, StreamName name);

  [[nodiscard]] ConsumerCounts counts() const;  ///< safe from any thread

 private:
  using Clock = std::chrono::steady_clock;
  /// How long a program may take from the slot to the ring.
  static constexpr std::chrono::milliseconds kDrained{50};

  /// Somebody who entered, and has no final name yet.
  struct Nameless {
    Enter enter;
    Clock::time_point until;
    Clock::time_point again;
    std::array<Capture, 2> captures{};  // of the outputs
    bool ran_before = false;            // an earlier service may have listed its uncaptured outputs
    bool entered = false;               // it is known by its ENTER
    bool named = false;                 // its streams have a name from here
    bool named_before = false;          // they had one at the start, from when it began
    std::chrono::milliseconds pause{5};
    Naming best = {};  // what is looked at goes with the container, so an earlier answer may have known more
  };
  /// A stream of which more had passed at the start than the journal knows.
  struct Missed {
    std::uint64_t passed = 0;  // as its slot said then
    bool begun = false;        // something of it has come since
  };
  struct Elsewhere {
    Clock::time_point since;
    std::optional<RingPosition> head = {};  // the ring's, a while later
    std::unordered_map<StreamNo, Missed> streams;
  };
  bool drain_once();
  [[nodiscard]] bool is_taker_behind(Clock::time_point now);
  [[nodiscard]] bool waits_for_taker(Clock::time_point now);
  void look_ahead();
  void take(std::span<const std::byte> raw);
  [[nodiscard]] bool is_followed_file(StreamNo stream) const;
  void take_told();
  void take_names(Clock::time_point now);
  void begin(Enter enter);
  /// True: done with it.
  bool try_name(Nameless& who, Clock::time_point now);
  /// For a process that was found and did not enter: if the journal already has a name for one of its streams, that
  /// stream is taken out of its outputs and keeps its name. True: no output is left that has to be named.
  [[nodiscard]] bool leave_named_outputs(Nameless& who) const;
  [[nodiscard]] Nameless nameless(Enter enter, Clock::time_point now, bool ran_before);
  void learn_owners(const std::vector<StreamSlot>& slots);
  void take_kept_names(const std::vector<StreamSlot>& slots);
  void keep_name(const StreamEntry& entry, const std::string& brief);
  void keep_row(StreamNo stream, std::span<const std::byte> row);
  void forget_names(const std::unordered_set<StreamNo>& there);
  void look_for_missed(const std::vector<StreamSlot>& slots);
  void miss_before(StreamNo stream, std::uint64_t offset, std::uint64_t time);
  void settle_missed(Clock::time_point now);
  void tell_missed();
  void add_names(Nameless& who, const Naming& naming);
  void add_name(Nameless& who, std::size_t output, std::uint32_t fds, const Naming& naming);
  [[nodiscard]] bool is_listed(const std::string& flow, const std::string& output) const;
  void let_go(const Nameless& who);
  void sweep(Clock::time_point now);
  void count_slots(const std::vector<StreamSlot>& slots);
  void tell_lost(const StreamSlot& slot, Clock::time_point now);
  void tell_late(const StreamSlot& slot);
  void end_abandoned(const std::vector<StreamSlot>& slots, Clock::time_point now);
  void look_again(Clock::time_point now, std::chrono::milliseconds pause);
  void sweep_open(const StreamSlot& slot, Clock::time_point now);
  void ask_for_name(const StreamSlot& slot, Clock::time_point now);
  void sweep_ended(const StreamSlot& slot, Clock::time_point now);
  void append(RingPosition position);
  /// Followers want records at once: each record wakes the consumer if there are few, and a short timer does if there are many.
  void set_pace(std::uint64_t records, Clock::time_point now);
  [[nodiscard]] std::chrono::milliseconds next_poll(bool followed, Clock::time_point now) const;

  RecordSource& source_;
  Journal& journal_;
  StreamControl& streams_;
  Namer& namer_;
  ConsumerOptions options_;
  FileStreams* files_;

  Batch batch_;
  std::chrono::milliseconds poll_;
  bool wake_ = false;
  bool behind_ = false;     // a followed file is being read
  bool ends_ = false;       // this round may be the last one
  bool takes_all_ = false;  // nobody is waited for any more
  std::function<RecordSource::Fill()> fill_ = [this] {
    return source_.fill();
  };  // of the ring that is being filled
  bool is_drained_ = false;  // the last round has left nothing in the ring
  bool waits_ = false;       // the last round has left something in the ring, for want of room
  Clock::time_point files_read_ = options_.now();  // when followed files last had their turn
  std::optional<Clock::time_point> still_since_;   // since when the taker is behind and has taken nothing
  std::optional<JournalPlace> still_at_;           // where it stands
  RingPosition looked_to_ = 0;                     // how far the ring was looked through for beginnings
  std::size_t begun_ahead_ = 0;     // these: ENTERs that are known, and are still to be drained
  std::size_t drained_enters_ = 0;  // by this drain
  bool many_ = false;               // many records came lately
  std::uint64_t paced_records_ = 0;
  Clock::time_point paced_since_ = options_.now();
  std::int64_t wall_offset_ = 0;  // ns; CLOCK_REALTIME - CLOCK_MONOTONIC
  std::deque<Nameless> nameless_;
  struct Ended {
    Clock::time_point since;                // since when this is known
    std::optional<RingPosition> head = {};  // the ring's, a while later
  };
  std::unordered_map<StreamNo, Ended> ended_;           // slots that are to be freed
  std::unordered_map<StreamNo, std::uint64_t> owners_;  // cgroups that were the first to have them as outputs
  std::unordered_map<StreamNo, std::uint32_t> outputs_;  // as which of these: their slots' fds
  std::unordered_set<StreamNo> named_at_start_;          // an earlier service has named them
  std::unordered_set<StreamNo> unwanted_;  // streams that were let go; their slots show it at the next sweep
  std::unordered_set<StreamNo> kept_;      // streams whose names are kept
  std::unordered_set<StreamNo> not_kept_;  // streams whose names could not be
  std::optional<Elsewhere> elsewhere_;     // until it is told
  std::vector<StreamSlot> rested_;         // to be freed once the batch is in the journal
  Clock::time_point next_sweep_{};
  Clock::time_point next_users_ = options_.now() + options_.users;
  struct Abandoned {
    Clock::time_point since;
    std::uint64_t passed;
  };
  std::unordered_map<StreamNo, Abandoned> abandoned_;  // streams that seemed abandoned once
  struct Silent {
    Clock::time_point since;
    std::uint64_t passed;
    std::uint64_t lost;
  };
  std::unordered_map<StreamNo, Silent> silent_;  // streams that seemed silent behind a loss once
  std::unordered_map<std::uint64_t, Clock::time_point>
      gone_;  // cgroups that were removed, with streams that may be open

  std::mutex told_mutex_;
  std::vector<Enter> told_enters_;
  std::vector<StreamEntry> told_names_;

  std::atomic<std::uint64_t> records_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> broken_{0};
  std::atomic<std::uint64_t> drain_errors_{0};
  std::atomic<std::uint64_t> let_go_{0};
  std::atomic<std::uint64_t> open_streams_{0};
  std::atomic<std::uint64_t> still_nameless_{0};
  struct {
    std::atomic<std::uint64_t> too_long{0};
    std::atomic<std::uint64_t> no_map{0};
    std::atomic<std::uint64_t> no_room{0};
  } unkept_;
  std::array<std::atomic<std::uint64_t>, FTAP_NR_LOSSES> lost_{};
  std::array<std::uint64_t, FTAP_NR_LOSSES> lost_by_freed_{};  // of streams whose slots were freed
};

}  // namespace flowtap::flow
