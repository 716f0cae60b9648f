// The part of the consumer that goes on behind a service with another journal, or with this one before it was emptied: the names of
// streams are kept beside their slots, and what that service has taken out of the ring is told as missing here.
#include <utility>

#include "base/wall_clock.hpp"
#include "stream/journal/consumer/log_consumer.hpp"

namespace flowtap::flow {
namespace {

// What is kept of a stream: its name, and for a followed file how far it is in the journal.
struct Kept {
  std::optional<StreamEntry> name;
  std::uint64_t passed = 0;
};

Kept parse_kept(std::span<const std::byte> row) {
  Kept kept;
  EntryWalk walk(row);
  while (const auto view = walk.next()) {
    if (view->kind == EntryKind::kStream) kept.name = stream_entry(*view);
    if (view->kind != EntryKind::kState) continue;
    if (const auto state = state_entry(*view)) kept.passed = state->sums.passed;
  }
  return kept;
}

}  // namespace

bool was_drained_elsewhere(const RecordSource& source, const Journal& journal) {
  return source.position() > journal.position_of(source.ring_id()).value_or(0);
}

void LogConsumer::keep_name(const StreamEntry& entry, const std::string& brief) {
  std::vector<std::byte> row;
  put(row, entry);
  if (row.size() > kMostKeptName) {  // its flow's id says the most of what its labels do
    StreamEntry shorter = entry;
    shorter.name.identity = brief;
    row.clear();
    put(row, shorter);
  }
  keep_row(entry.stream, row);
}

// A stream counts once, however often it is tried.
void LogConsumer::keep_row(StreamNo stream, std::span<const std::byte> row) {
  const NameKept kept = streams_.keep_name(stream, row);
  if (kept == NameKept::kYes) {
    kept_.insert(stream);
    return;
  }
  if (!not_kept_.insert(stream).second) return;
  ++(kept == NameKept::kTooLong ? unkept_.too_long
     : kept == NameKept::kNoMap ? unkept_.no_map
                                : unkept_.no_room);
}

// A name may come when its stream has no slot any more: it is looked for longer than the slot rests.
void LogConsumer::forget_names(const std::unordered_set<StreamNo>& there) {
  std::erase_if(kept_, [&](StreamNo stream) {
    if (there.contains(stream)) return false;
    streams_.forget_name(stream);
    return true;
  });
  std::erase_if(not_kept_, [&there](StreamNo stream) { return !there.contains(stream); });
}

void LogConsumer::take_kept_names(const std::vector<StreamSlot>& slots) {
  for (const StreamNo stream : streams_.kept_names()) kept_.insert(stream);
  std::unordered_set<StreamNo> there;
  for (const StreamSlot& slot : slots) there.insert(slot.stream);
  forget_names(there);  // a service that was killed may have left some
  for (const StreamSlot& slot : slots) {
    const auto known = journal_.stream(slot.stream);
    if (known && known->name) {
      namer_.learn(*known->name, slot);
      // A build that kept no names may have named it. A tap ends with its service, and FileStreams keeps what is a file's.
      const bool is_listed = slot.cgroup != 0 || slot.rule != FTAP_RULE_CONTAINER;
      if (is_listed && known->name->capture == Capture::kTaken) keep_name({slot.stream, *known->name}, "{}");
      continue;
    }
    const Kept kept = parse_kept(streams_.kept_name(slot.stream));
    if (!kept.name || kept.name->stream != slot.stream) continue;
    batch_.add(*kept.name);
    namer_.learn(kept.name->name, slot);
    const std::uint64_t passed = known ? known->sums.passed : 0;
    if (kept.passed > passed) batch_.add(MissedEntry{slot.stream, passed, kept.passed, wall_ns()});
  }
}

void LogConsumer::look_for_missed(const std::vector<StreamSlot>& slots) {
  elsewhere_.emplace(Elsewhere{.since = options_.now(), .streams = {}});
  for (const StreamSlot& slot : slots) {
    const auto known = journal_.stream(slot.stream);
    if (slot.passed > (known ? known->sums.passed : 0))
      elsewhere_->streams.emplace(slot.stream, Missed{.passed = slot.passed});
  }
}

// What comes first of a stream says where it begins here. Writers that overtook one another may still bring some that stands before.
void LogConsumer::miss_before(StreamNo stream, std::uint64_t offset, std::uint64_t time) {
  if (!elsewhere_) return;
  const auto at = elsewhere_->streams.find(stream);
  if (at == elsewhere_->streams.end() || std::exchange(at->second.begun, true)) return;
  const auto known = journal_.stream(stream);
  const std::uint64_t passed = known ? known->sums.passed : 0;
  if (offset > passed) batch_.add(MissedEntry{stream, passed, offset, time});
}

// By now it is known what was taken of all streams, silent ones included: nothing that had passed at the start can
// still be on its way.
void LogConsumer::settle_missed(Clock::time_point now) {
  if (!elsewhere_) return;
  if (now - elsewhere_->since < kDrained) return look_again(now, kDrained);
  if (!elsewhere_->head) elsewhere_->head = source_.head();
  if (source_.position() < *elsewhere_->head) return look_again(now, kDrained);
  tell_missed();
}

void LogConsumer::tell_missed() {
  const auto streams = std::move(elsewhere_->streams);
  elsewhere_.reset();
  for (const auto& [stream, missed] : streams) {
    if (missed.begun || is_followed_file(stream)) continue;
    const auto known = journal_.stream(stream);
    const bool is_known = known && (known->sums.ended || known->sums.passed >= missed.passed);
    if (!is_known) batch_.add(MissedEntry{stream, known ? known->sums.passed : 0, missed.passed, wall_ns()});
  }
}

void LogConsumer::settle() {
  if (elsewhere_) tell_missed();
  append(source_.position());
}

}  // namespace flowtap::flow
