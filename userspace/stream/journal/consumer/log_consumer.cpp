#include "stream/journal/consumer/log_consumer.hpp"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <thread>
#include <unordered_set>

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

// A batch is one write. Larger ones save nothing more, and hold up whoever follows.
constexpr std::size_t kDrainBytes = std::size_t{1} << 20U;
constexpr int kDrainsPerRound = 64;
// Names are looked for again with growing pauses, since each look reads files.
constexpr std::chrono::milliseconds kLongestPause = 200ms;
// How long, and how often, the consumer looks for the readers of pipes whose cgroup has gone.
constexpr auto kReaderLeaves = 2s;
constexpr std::chrono::milliseconds kSoon = 100ms;
// How long a pipe has to be without a reader, in each look and without a byte. The walk over the node's files is no snapshot, and
// misses a descriptor that is being handed on. It also misses one that a thread has closed amid the read of another; that one may
// have to wait for a CPU until it comes to its read's end, where the bytes are taken.
constexpr std::chrono::milliseconds kLeft = 300ms;

// Each wake-up goes through all threads up to whoever follows, so a timer is cheaper as soon as it wakes less often than the
// records would. Records are counted over a while, since they come in bursts: of a runtime's reads, and of what writes them.
constexpr auto kShortPoll = 1ms;
// How long followed files wait at most while the journal has no room.
constexpr auto kFilesTurn = 2s;
// How often the consumer looks whether the journal has room again.
constexpr auto kLookForTaker = 5ms;
constexpr auto kPaceOver = 10ms;
constexpr std::uint64_t kMany = 15;  // records in that time

std::int64_t nanoseconds(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

std::int64_t wall_offset() {
  return nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC);
}

LogConsumer::LogConsumer(RecordSource& source, Journal& journal, StreamControl& streams, Namer& namer,
                         const ConsumerOptions& options, FileStreams* files)
    : source_(source),
      journal_(journal),
      streams_(streams),
      namer_(namer),
      options_(options),
      files_(files),
      poll_(options.poll) {
  const bool elsewhere = was_drained_elsewhere(source_, journal_);
  if (const auto drained = journal_.position_of(source_.ring_id())) source_.commit(*drained);
  const auto slots = streams_.sweep();
  learn_owners(slots);
  for (const StreamView& stream : journal_.streams())
    if (stream.name && stream.name->capture == Capture::kTaken) named_at_start_.insert(stream.number);
  take_kept_names(slots);
  if (elsewhere) look_for_missed(slots);
  append(source_.position());  // whoever asks the journal for names finds them
  streams_.wake(false);        // whoever followed the service before is gone
}

bool LogConsumer::round() {
  const bool more = source_.wait(waits_    ? std::min<std::chrono::milliseconds>(kLookForTaker, options_.poll)
                                 : behind_ ? 0ms
                                           : poll_);
  const std::uint64_t before = records_;
  wall_offset_ = wall_offset();
  const auto now = options_.now();
  take_told();
  if (files_ != nullptr) files_->begin_round(batch_);
  // This does not go on for ever: a flood must not keep the sweep, the names and whoever ends this thread waiting.
  int drains = 0;
  waits_ = false;
  while (drains < kDrainsPerRound && !(waits_ = waits_for_taker(now)) && drain_once()) {
    ++drains;
    streams_.beat();
  }
  if (waits_) {
    look_ahead();
    append(source_.position());  // the sweep of this round finds their names
  }
  is_drained_ = drains < kDrainsPerRound && !waits_;
  // A file keeps what the journal has no room for, but not for ever: it may be cut off.
  const bool files_turn = now - files_read_ >= kFilesTurn || !is_taker_behind(now);
  if (files_turn) files_read_ = now;
  if (files_ != nullptr && files_turn)
    behind_ = files_->read_on(is_drained_, static_cast<std::uint64_t>(nanoseconds(CLOCK_REALTIME)), batch_);
  const bool sweeps = now >= next_sweep_;
  if (sweeps) {
    next_sweep_ = now + options_.sweep;
    sweep(now);
    if (files_ != nullptr && files_->look(now, is_drained_)) look_again(now, kSoon);
  }
  take_names(now);
  still_nameless_ = nameless_.size();
  append(source_.position());
  if (files_ != nullptr && (sweeps || ends_))
    files_->keep_places([this](StreamNo stream, std::span<const std::byte> row) { keep_row(stream, row); });
  // Slots are freed only now: a stream whose end is in neither the journal nor a slot would seem open for ever.
  for (const StreamSlot& slot : rested_) {
    if (!is_followed_file(slot.stream))
      for (std::size_t i = 0; i < slot.lost.size(); ++i) lost_by_freed_.at(i) += slot.lost.at(i);
    if (files_ != nullptr) files_->forget(slot.stream);
    streams_.free(slot);
  }
  rested_.clear();
  streams_.beat();
  set_pace(records_ - before, now);
  // A ring that is a quarter full wakes the consumer for each record.
  if (waits_) std::this_thread::sleep_for(kShortPoll);
  return more;
}

bool LogConsumer::is_followed_file(StreamNo stream) const {
  return files_ != nullptr && files_->owns(stream);
}

// True: there may be more.
bool LogConsumer::drain_once() {
  std::size_t drained = 0;
  drained_enters_ = 0;
  const auto position = source_.drain(kDrainBytes, [this, &drained](std::span<const std::byte> raw) {
    drained += raw.size();
    take(raw);
  });
  if (!position) {
    ++drain_errors_;
    return false;
  }
  if (*position == source_.position()) return false;
  append(*position);
  source_.commit(*position);
  begun_ahead_ -= std::min(begun_ahead_, drained_enters_);
  return drained >= kDrainBytes / 2;
}

// A journal that cannot be written counts its failures itself. Only history is lost: the ring is drained all the same.
void LogConsumer::append(RingPosition position) {
  if (batch_.empty() && position == source_.position()) return;
  batch_.set_position(source_.ring_id(), position);
  (void)journal_.append(batch_);
  batch_.clear();
  if (files_ != nullptr) files_->refresh();
}

void LogConsumer::take(std::span<const std::byte> raw) {
  ++records_;
  auto record = parse_record(raw);
  if (!record) {
    ++broken_;
    return;
  }
  const auto time = static_cast<std::uint64_t>(static_cast<std::int64_t>(record->time) + wall_offset_);
  if (files_ != nullptr && files_->has_added()) files_->take_added(batch_);
  if (const auto* bytes = std::get_if<Bytes>(&record->what)) {
    bytes_ += bytes->bytes.size();
    if (is_followed_file(bytes->stream)) return files_->take(*bytes, time, batch_);
    batch_.add(BytesEntry{bytes->stream, bytes->offset, time, bytes->position, bytes->bytes});
    miss_before(bytes->stream, bytes->offset, time);
  } else if (auto* enter = std::get_if<Enter>(&record->what)) {
    if (++drained_enters_ > begun_ahead_) begin(std::move(*enter));
  } else if (const auto* end = std::get_if<End>(&record->what)) {
    if (is_followed_file(end->stream)) {
      files_->end(end->stream);
    } else {
      miss_before(end->stream, end->passed, time);
      batch_.add(EndEntry{end->stream, end->passed, time, end->lost});
    }
    ended_.try_emplace(end->stream, Ended{options_.now()});
  } else if (const auto* gone = std::get_if<CgroupGone>(&record->what)) {
    gone_.emplace(gone->cgroup, options_.now());
    next_sweep_ = {};
  }
}

void LogConsumer::begin(Enter enter) {
  const auto now = options_.now();
  Nameless who = nameless(std::move(enter), now, false);
  // The name is looked for at once: a container's bundle is gone some ten milliseconds after its end.
  if (!try_name(who, now)) nameless_.push_back(std::move(who));
}

void LogConsumer::enter(Enter enter) {
  {
    const std::scoped_lock lock(told_mutex_);
    told_enters_.push_back(std::move(enter));
  }
  source_.interrupt();
}

void LogConsumer::name(StreamNo stream, StreamName name) {
  {
    const std::scoped_lock lock(told_mutex_);
    told_names_.push_back({stream, std::move(name)});
  }
  source_.interrupt();
}

void LogConsumer::take_told() {
  std::vector<Enter> enters;
  std::vector<StreamEntry> names;
  {
    const std::scoped_lock lock(told_mutex_);
    enters.swap(told_enters_);
    names.swap(told_names_);
  }
  for (const StreamEntry& entry : names) batch_.add(entry);
  // They are appended at once, so that the sweep of this very round finds them in the journal.
  if (!names.empty()) append(source_.position());
  const auto now = options_.now();
  for (Enter& enter : enters) nameless_.push_back(nameless(std::move(enter), now, true));
}

void LogConsumer::take_names(Clock::time_point now) {
  std::erase_if(nameless_, [this, now](Nameless& who) {
    return who.again <= now && (leave_named_outputs(who) || try_name(who, now));
  });
}

// A container that was found, in a slot or because it runs, may have entered since. What its ENTER has named stays so: when a name is
// found out by less than that, the container may be gone.
bool LogConsumer::leave_named_outputs(Nameless& who) const {
  if (who.entered || who.named) return false;
  bool is_left = false;
  for (std::size_t i = 0; i < who.enter.outputs.size(); ++i) {
    StreamNo& stream = who.enter.outputs.at(i).stream;
    const auto known = stream != 0 ? journal_.stream(stream) : std::nullopt;
    if (known && known->name) stream = 0;
    is_left = is_left || stream != 0 || who.captures.at(i) != Capture::kTaken;
  }
  return !is_left;
}

bool LogConsumer::try_name(Nameless& who, Clock::time_point now) {
  Naming naming = namer_.name(who.enter);
  const bool last = now >= who.until;
  // It was named as it began, by a service that has left its ENTER in the ring. What was known of it then may be gone.
  if (who.named_before && naming.state != NamingState::kNamed) {
    who.again = now + who.pause;
    who.pause = std::min(who.pause * 2, kLongestPause);
    return last;
  }
  if (naming.state == NamingState::kPartial) {
    if (naming.known >= who.best.known) {
      // The name is added already now, in case neither the container nor this process lives to see a better one.
      if (naming.known > who.best.known && !naming.flow.empty()) add_names(who, naming);
      who.best = naming;
    }
    naming = who.best;
  }
  if (naming.state == NamingState::kPartial && !last) {
    who.again = now + who.pause;
    who.pause = std::min(who.pause * 2, kLongestPause);
    return false;
  }
  if (naming.state == NamingState::kNotOurs || naming.flow.empty())
    let_go(who);
  else
    add_names(who, naming);
  return true;
}

void LogConsumer::set_pace(std::uint64_t records, Clock::time_point now) {
  const bool followed = journal_.followers() > 0 || (options_.followed && options_.followed());
  paced_records_ += records;
  if (const auto since = now - paced_since_; since >= kPaceOver || paced_records_ > 4 * kMany) {
    many_ = paced_records_ * (kPaceOver / 1ns) > kMany * static_cast<std::uint64_t>(since / 1ns);
    paced_records_ = 0;
    paced_since_ = now;
  }
  poll_ = next_poll(followed, now);
  if (wake_ == (followed && !many_)) return;
  wake_ = !wake_;
  streams_.wake(wake_);
}

std::chrono::milliseconds LogConsumer::next_poll(bool followed, Clock::time_point now) const {
  if (followed && many_) return std::min<std::chrono::milliseconds>(kShortPoll, options_.poll);
  // Names are looked for and files are read between records.
  if (followed || !nameless_.empty() || (files_ != nullptr && files_->any())) return options_.poll;
  const auto to_sweep = std::chrono::ceil<std::chrono::milliseconds>(next_sweep_ - now);
  return std::max(options_.poll, std::min(options_.rest, to_sweep));
}

void LogConsumer::sweep(Clock::time_point now) {
  const auto slots = streams_.sweep();
  learn_owners(slots);
  count_slots(slots);
  settle_missed(now);
  end_abandoned(slots, now);
  for (const StreamSlot& slot : slots) {
    if (slot.ended)
      sweep_ended(slot, now);
    else
      sweep_open(slot, now);
  }
  // Nothing needs to be remembered of streams without a slot.
  std::unordered_set<StreamNo> there;
  for (const StreamSlot& slot : slots) there.insert(slot.stream);
  forget_names(there);
  std::erase_if(unwanted_, [&there](StreamNo stream) { return !there.contains(stream); });
  std::erase_if(owners_, [&there](const auto& owner) { return !there.contains(owner.first); });
  std::erase_if(outputs_, [&there](const auto& output) { return !there.contains(output.first); });
  std::erase_if(silent_, [&there](const auto& entry) { return !there.contains(entry.first); });
  std::erase_if(ended_, [&there](const auto& entry) { return !there.contains(entry.first); });
}

// The programs see the end of a pipe that is read to its end. All others end with their container.
void LogConsumer::end_abandoned(const std::vector<StreamSlot>& slots, Clock::time_point now) {
  const bool all = now >= next_users_;
  if (all) next_users_ = now + options_.users;
  std::vector<StreamSlot> asked;
  std::vector<StreamSlot> found;
  std::unordered_map<std::uint64_t, Clock::time_point> still_gone;
  for (const StreamSlot& slot : slots) {
    // A tap's own streams end with the tap.
    const bool has_owner = slot.cgroup != 0 || slot.rule != FTAP_RULE_CONTAINER;
    if (slot.ended || (slot.kind != FTAP_KIND_PIPE && !has_owner)) continue;
    const auto gone = gone_.find(slot.cgroup);
    if (gone != gone_.end()) {
      still_gone.insert(*gone);
      // A pipe's reader usually leaves a moment later.
      if (now - gone->second < kReaderLeaves) look_again(now, kSoon);
    }
    // A listed process may have been moved out of it before.
    if (gone != gone_.end() && slot.kind != FTAP_KIND_PIPE && slot.rule != FTAP_RULE_PROCESS)
      found.push_back(slot);
    else if (gone != gone_.end() || all || abandoned_.contains(slot.stream))
      asked.push_back(slot);
  }
  gone_.swap(still_gone);
  if (!asked.empty()) std::ranges::copy(streams_.abandoned(asked), std::back_inserter(found));
  decltype(abandoned_) still_abandoned;
  for (const StreamSlot& slot : found) {
    const auto before = abandoned_.find(slot.stream);
    const bool again = before != abandoned_.end() && before->second.passed == slot.passed;
    if (again && now - before->second.since >= (slot.kind == FTAP_KIND_PIPE ? kLeft : kDrained))
      (void)streams_.abandon(slot);
    else
      still_abandoned.emplace(slot.stream, again ? before->second : Abandoned{now, slot.passed});
    look_again(now, kSoon);
  }
  abandoned_.swap(still_abandoned);
}

void LogConsumer::look_again(Clock::time_point now, std::chrono::milliseconds pause) {
  next_sweep_ = std::min(next_sweep_, now + pause);
}

void LogConsumer::sweep_open(const StreamSlot& slot, Clock::time_point now) {
  if (is_followed_file(slot.stream)) return;
  if (!unwanted_.contains(slot.stream)) {
    tell_lost(slot, now);
    return ask_for_name(slot, now);
  }
  (void)streams_.end(slot);
  look_again(now, kDrained);
}

// A stream has no name if its ENTER found no room, or came to a service that was killed before the name was in the journal.
void LogConsumer::ask_for_name(const StreamSlot& slot, Clock::time_point now) {
  const auto known = journal_.stream(slot.stream);
  if (known && known->name) return;
  const auto is_it = [&slot](const Nameless& who) {
    return std::ranges::any_of(who.enter.outputs,
                               [&](const auto& output) { return output.stream == slot.stream; });
  };
  if (std::ranges::any_of(nameless_, is_it)) return;
  Enter enter;
  enter.cgroup = slot.cgroup;
  enter.pid = slot.pid;
  enter.rule = slot.rule;
  enter.start_time = slot.start_time;
  const Enter::Output output{slot.stream, slot.inode, slot.device, slot.kind};
  if ((slot.fds & FTAP_STDOUT) != 0) enter.outputs[0] = output;
  if ((slot.fds & FTAP_STDERR) != 0) enter.outputs[1] = output;
  // If it has no cgroup, this process opened it for somebody who is about to name it.
  const auto first = enter.cgroup == 0 ? now + options_.patience : now;
  nameless_.push_back({std::move(enter), now + options_.patience, first});
}

void LogConsumer::sweep_ended(const StreamSlot& slot, Clock::time_point now) {
  Ended& end = ended_.try_emplace(slot.stream, Ended{now}).first->second;
  if (now - end.since < kDrained) return look_again(now, kDrained);
  // Once all is drained that was in the ring a while after the slot was seen to have ended, no END and no bytes will come any
  // more. That may take long: the consumer waits for whoever takes the journal, and a record that is being written holds up all
  // others.
  if (!end.head) end.head = source_.head();
  const auto known = journal_.stream(slot.stream);
  const bool told = known && known->sums.ended;
  if (!told && source_.position() < *end.head) {
    // While the journal has no room that takes seconds, and a look at all slots costs the CPU that the lines' thread needs.
    if (!waits_) look_again(now, kDrained);
    return;
  }
  if (!told && is_followed_file(slot.stream)) {
    files_->end(slot.stream);
    return look_again(now, kDrained);
  }
  if (!told)
    batch_.add(EndEntry{slot.stream, slot.passed, static_cast<std::uint64_t>(nanoseconds(CLOCK_REALTIME)),
                        slot.lost});
  // It has ended before anybody looked for its name, and somebody wrote what it has.
  const bool is_somebodys = slot.passed > 0 && (slot.cgroup != 0 || slot.rule != FTAP_RULE_CONTAINER);
  if (is_somebodys && !is_followed_file(slot.stream) && !unwanted_.contains(slot.stream))
    ask_for_name(slot, now);
  if (now - end.since < options_.slot_rest) return;
  tell_late(slot);
  rested_.push_back(slot);
}

ConsumerCounts LogConsumer::counts() const {
  ConsumerCounts counts;
  counts.records = records_;
  counts.bytes = bytes_;
  counts.broken_records = broken_;
  counts.drain_errors = drain_errors_;
  counts.let_go = let_go_;
  counts.open_streams = open_streams_;
  counts.nameless = still_nameless_;
  for (std::size_t i = 0; i < counts.lost.size(); ++i) counts.lost.at(i) = lost_.at(i);
  counts.unkept_names = {unkept_.too_long, unkept_.no_map, unkept_.no_room};
  return counts;
}

}  // namespace flowtap::flow
