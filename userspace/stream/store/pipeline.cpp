#include "stream/store/pipeline.hpp"

#include <algorithm>

#include "identity/flow_labels.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

// How many bytes are taken under one lock of the store.
constexpr std::size_t kTaken = std::size_t{256} << 10U;
// Names come within milliseconds. Bytes of a stream whose capture is given up wait for nothing.
constexpr std::size_t kEarlyOfStream = std::size_t{256} << 10U;
constexpr std::size_t kEarly = std::size_t{8} << 20U;
// A stream is remembered this long after its end, so that late bytes are not taken for a new stream's.
constexpr auto kRemembered = 10s;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void Pipeline::replay(std::uint64_t wall_ns) {
  auto now = Clock::now();
  replays_ = true;
  store_.forget_streams();
  while (take(now, wall_ns)) continue;
  // Bytes that have not come by now will not come.
  while (!waiting_.empty()) give_up_gaps(now += 2 * StreamOrder::kPatience);
  end_missed(now);
  store_.end_orphans(wall_ns);
  store_.flush(Clock::now(), wall_ns, true);
  replays_ = false;
}

bool Pipeline::take(Clock::time_point now, std::uint64_t wall_ns) {
  auto tail = journal_.tail(place_, kTaken, std::move(room_));
  if (!tail) {
    ++stats_.damaged;
    place_ = Journal::skip(place_);
    end_may_be_missed_ = true;
    return true;
  }
  // This stands behind everything written before it. Entries after it stand in the next part.
  std::vector<std::byte> unwritten;
  if (tail->end) unwritten = journal_.take_unwritten(tail->next);
  take_entries(tail->end ? std::span<const std::byte>(unwritten) : tail->entries, now, wall_ns);
  place_ = tail->next;
  journal_.taken(place_);
  end_may_be_missed_ = end_may_be_missed_ || tail->evicted || !unwritten.empty();
  give_up_gaps(now);
  flush_records(now);
  tell_gaps(now);
  forget_ended(now);
  since_flush_ += tail->entries.size() + unwritten.size();
  room_ = std::move(tail->room);
  if (since_flush_ >= quarter_) next_quarter(now, wall_ns);
  if (!tail->end || !unwritten.empty()) return true;
  if (std::exchange(end_may_be_missed_, false)) end_missed(now);
  return false;
}

void Pipeline::take_entries(std::span<const std::byte> entries, Clock::time_point now,
                            std::uint64_t wall_ns) {
  EntryWalk walk(entries);
  for (bool more = true; more;) {
    {
      FlowStore::Writing writing(store_, now);
      // At least one entry is taken: where nothing can be written, there may be too much for long.
      do {
        const auto view = walk.next();
        more = view.has_value();
        if (view) enter(*view, writing, now);
      } while (more && !writing.has_too_much());
    }
    // Short lines become many bytes, so the bounds are enforced between the parts.
    if (more) store_.flush(Clock::now(), wall_ns);
  }
}

void Pipeline::next_quarter(Clock::time_point now, std::uint64_t wall_ns) {
  since_flush_ = 0;
  ++quarters_;
  finish_old_lines();
  store_.flush(now, wall_ns, true);
  std::unordered_set<StreamNo> known;
  for (const StreamView& stream : journal_.streams()) known.insert(stream.number);
  for (const auto& [number, stream] : streams_) known.insert(number);
  store_.keep_streams(known);
}

// An end is an entry in the journal as well, so it may be lost with a part of the journal that was not read.
void Pipeline::end_missed(Clock::time_point now) {
  FlowStore::Writing writing(store_, now);
  std::vector<EndEntry> ends;
  for (const auto& [number, stream] : streams_) {
    if (stream.ended) continue;
    const auto known = journal_.stream(number);
    if (!known)
      ends.push_back({number, stream.order.next(), stream.time, {}});
    else if (known->sums.ended)
      ends.push_back({number, known->sums.passed, known->sums.last, {}});
  }
  for (const EndEntry& entry : ends) end(entry, writing, now);
}

Pipeline::Clock::time_point Pipeline::next() const {
  Clock::time_point next = Clock::time_point::max();
  for (const StreamNo number : waiting_)
    if (const auto at = streams_.find(number); at != streams_.end())
      next = std::min(next, at->second.order.until());
  for (const StreamNo number : held_)
    if (const auto at = streams_.find(number); at != streams_.end())
      next = std::min(next, at->second.held_since + kRecordIsWritten);
  for (const StreamNo number : gapped_)
    if (const auto at = streams_.find(number); at != streams_.end())
      next = std::min(next, at->second.gaps_told_at);
  return next;
}

void Pipeline::enter(const EntryView& view, FlowStore::Writing& writing, Clock::time_point now) {
  switch (view.kind) {
    case EntryKind::kBytes:
    case EntryKind::kFileBytes:
      if (const auto entry = bytes_entry(view)) bytes(*entry, writing, now);
      break;
    case EntryKind::kStream:
      if (const auto entry = stream_entry(view)) name(*entry, writing);
      break;
    case EntryKind::kState:
      if (const auto entry = state_entry(view)) state(*entry, writing);
      break;
    case EntryKind::kEnd:
      if (const auto entry = end_entry(view)) end(*entry, writing, now);
      break;
    case EntryKind::kMissed:
      if (const auto entry = missed_entry(view)) missed(*entry, writing);
      break;
    case EntryKind::kPosition:
    case EntryKind::kBatch:
      break;
  }
}

void Pipeline::bytes(const BytesEntry& entry, FlowStore::Writing& writing, Clock::time_point now) {
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  if (stream.ended) return;
  stream.begun = true;
  stream.quarter = quarters_;
  const bool waited = stream.order.until() != Clock::time_point::max();
  stream.order.add(entry.offset, text_of(entry.bytes), entry.time, now,
                   [&](std::string_view text, std::uint64_t time) {
                     give(stream, stream.order.next(), text, time, writing);
                   });
  if (!waited && stream.order.until() != Clock::time_point::max()) waiting_.push_back(entry.stream);
}

// The journal states this before the first entry of a stream whose earlier entries had to make room. And it is stated of a stream
// that has lost bytes and is silent since.
void Pipeline::state(const StateEntry& entry, FlowStore::Writing& writing) {
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  if (stream.begun) {
    if (stream.ended || entry.sums.ended || entry.sums.passed <= stream.order.next()) return;
    stream.time = std::max(stream.time, entry.sums.last);
    return miss_to(stream, entry.sums.passed, entry.sums.last, writing);
  }
  stream.begun = true;
  stream.time = entry.sums.last;
  stream.order = StreamOrder(entry.sums.passed);
  stream.lines.skip_to(entry.sums.passed);
  if (stream.flow) begin(stream, writing);
}

// Everything before the journal's beginning should stand in the flow already. A flow that is not known any more begins here.
void Pipeline::begin(Stream& stream, FlowStore::Writing& writing) {
  renew(stream, writing);
  const std::uint64_t from = stream.lines.next() - stream.lines.unfinished();
  if (stream.flow->fresh)
    stream.flow->log.begin_at(stream.number, from);
  else if (const std::uint64_t known = stream.flow->log.position_of(stream.number).value_or(0); from > known)
    add_gap(stream, known, from, writing);
}

void Pipeline::name(const StreamEntry& entry, FlowStore::Writing& writing) {
  // A name may be corrected. The name known last counts, also for entries that are read again after a start.
  const auto known = journal_.stream(entry.stream);
  const StreamName& name = known && known->name ? *known->name : entry.name;
  if (name.capture != Capture::kTaken || name.flow.empty()) return;
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  stream.output = name.output == "stderr" ? "stderr" : "stdout";
  stream.terminal = name.kind == FTAP_KIND_TTY;
  if (!stream.finished) count_for(stream, name.flow);
  if (stream.flow && !stream.flow->gone) {
    if (stream.flow->log.id() != name.flow) stream.flow = writing.rename(stream.flow, name.flow);
    note_runtime(stream, name, writing);
    if (know_scheduler(stream)) take_earlier_records(stream, writing);
    return;
  }
  const bool has_ended = stream.ended;
  if (has_ended && (stream.finished || stream.flow)) return;
  const bool had_name = stream.flow != nullptr;
  if (had_name && stream.flow->log.id() == name.flow) {
    stream.flow = writing.renew(*stream.flow, stream.time, stream.terminal);
  } else {
    if (had_name) writing.end_stream(*stream.flow, stream.time);
    stream.flow = writing.flow(name.flow);
    writing.open_stream(*stream.flow, stream.terminal);
  }
  note_runtime(stream, name, writing);
  const bool has_earlier_records = know_scheduler(stream) && had_name;
  begin(stream, writing);
  if (has_earlier_records) take_earlier_records(stream, writing);
  for (const Early& early : take_early(stream)) give(stream, early.offset, early.bytes, early.time, writing);
  tell_missed(stream, writing);
  if (has_ended) finish(stream, writing);
}

// It is told at once, since nothing may ever come behind it.
void Pipeline::missed(const MissedEntry& entry, FlowStore::Writing& writing) {
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  if (stream.ended) return;
  stream.begun = true;
  stream.broke_off = stream.broke_off || entry.from == entry.to;
  miss_to(stream, entry.to, entry.time, writing);
}

void Pipeline::miss_to(Stream& stream, std::uint64_t to, std::uint64_t time, FlowStore::Writing& writing) {
  stream.missed_to = std::max(stream.missed_to, to);
  if (stream.time == 0) stream.time = time;
  tell_missed(stream, writing);
}

// Bytes that came early tell it when they are given.
void Pipeline::tell_missed(Stream& stream, FlowStore::Writing& writing) {
  if (stream.flow && stream.broke_off) writing.set_broke_off(*stream.flow);
  const bool waits = stream.order.until() != Clock::time_point::max();
  if (!stream.flow || waits || stream.order.next() >= stream.missed_to) return;
  stream.order.skip_to(stream.missed_to, [](std::uint64_t /*from*/, std::uint64_t /*to*/) {});
  miss(stream, stream.missed_to, writing);
}

// The journal forgets it with the stream, and the log must be read as before then.
void Pipeline::note_runtime(const Stream& stream, const StreamName& name, FlowStore::Writing& writing) {
  if (name.identity.empty() || !stream.flow->log.runtime().empty()) return;
  if (auto runtime = parse_labels(name.identity).runtime)
    writing.set_runtime(*stream.flow, std::move(*runtime));
}

void Pipeline::end(const EndEntry& entry, FlowStore::Writing& writing, Clock::time_point now) {
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  if (stream.ended) return;
  stream.begun = true;
  while (stream.order.until() != Clock::time_point::max()) give_up(stream, now, writing);
  stream.ended = true;
  stream.passed = entry.passed;
  stream.end_time = entry.time;
  ended_.push_back({entry.stream, now});
  // A stream without a name waits for one a while longer.
  if (stream.flow) finish(stream, writing);
}

void Pipeline::finish(Stream& stream, FlowStore::Writing& writing) {
  renew(stream, writing);
  if (stream.time == 0) stream.time = stream.end_time;
  if (stream.passed > stream.lines.next()) miss(stream, stream.passed, writing);
  stream.lines.finish([&](const LineView& line) { add(stream, line, writing); });
  flush_record(stream, writing);
  if (stream.broke_off) add_break(stream, writing);
  writing.end_stream(*stream.flow, stream.end_time);
  stream.flow.reset();
  stream.written.reset();
  stream.finished = true;
}

void Pipeline::give(Stream& stream, std::uint64_t offset, std::string_view bytes, std::uint64_t time,
                    FlowStore::Writing& writing) {
  stream.time = time;
  if (!stream.flow) return hold(stream, {offset, std::string(bytes), time, ++early_number_});
  if (offset > stream.lines.next()) miss(stream, offset, writing);
  stats_.bytes += bytes.size();
  if (stream.written && !replays_) Written::add(stream.written->bytes, bytes.size());
  renew(stream, writing);
  stream.lines.add(bytes, time, [&](const LineView& line) { add(stream, line, writing); });
}

void Pipeline::give_up(Stream& stream, Clock::time_point now, FlowStore::Writing& writing) {
  stream.order.give_up(
      now,
      [&](std::string_view text, std::uint64_t time) {
        give(stream, stream.order.next(), text, time, writing);
      },
      [](std::uint64_t /*from*/, std::uint64_t /*to*/) {});
  tell_missed(stream, writing);
}

// The bytes up to there will not come.
void Pipeline::miss(Stream& stream, std::uint64_t to, FlowStore::Writing& writing) {
  renew(stream, writing);
  stream.lines.finish([&](const LineView& line) { add(stream, line, writing); });
  flush_record(stream, writing);
  const std::uint64_t from = std::min(to, stream.lines.next());
  stats_.missing += to - from;
  if (stream.written && !replays_) {
    Written::add(stream.written->bytes, to - from);
    Written::add(stream.written->missing, to - from);
  }
  stream.lines.skip_to(to);
  add_gap(stream, from, to, writing);
}

void Pipeline::add_gap(Stream& stream, std::uint64_t from, std::uint64_t to, FlowStore::Writing& writing) {
  writing.add_gap(*stream.flow, stream.number, stream.output, to, stream.time, why_missing(stream, from, to));
  if (stream.records && to > from) add_source_gap(stream, to, to - from, writing);
}

// What the source wrote from here on passed uncounted. The next stream of the flow goes on behind this mark.
void Pipeline::add_break(const Stream& stream, FlowStore::Writing& writing) {
  writing.add_break(*stream.flow, stream.number, stream.output, stream.end_time);
  if (stream.records) add_source_break(stream, writing);
}

MissingCause Pipeline::why_missing(Stream& stream, std::uint64_t from, std::uint64_t to) const {
  const auto reading = journal_.read(stream.number, from, 1);
  if (reading && !reading->pieces.empty()) {
    const MissingCause known = reading->pieces.front().gap.value_or(MissingCause::kUnknown);
    if (known != MissingCause::kUnknown) return known;
  }
  Losses lost = losses_ ? losses_(stream.number) : Losses{};
  // A stream that has ended says it itself.
  if (const auto view = journal_.stream(stream.number))
    for (std::size_t i = 0; i < lost.size(); ++i) lost.at(i) = std::max(lost.at(i), view->sums.lost.at(i));
  return stream.causes.take(to - std::min(from, to), lost);
}

// A name may be corrected. What was counted before stays with the old name, so that no counter falls.
void Pipeline::count_for(Stream& stream, const std::string& flow) const {
  if (!written_by_ || (stream.written && stream.flow && stream.flow->log.id() == flow)) return;
  stream.written = written_by_(flow);
}

void Pipeline::add(Stream& stream, const LineView& line, FlowStore::Writing& writing) {
  if (line.full && stream.written && !replays_) Written::add(stream.written->lines, 1);
  writing.add(*stream.flow, stream.number, stream.output, line);
  if (stream.records) add_to_records(stream, line, writing);
}

// The flow may have had to make room while it was written to.
void Pipeline::renew(Stream& stream, FlowStore::Writing& writing) {
  if (!stream.flow->gone) return;
  stream.flow = writing.renew(*stream.flow, stream.time, stream.terminal);
  stream.flow->log.begin_at(stream.number, stream.lines.next() - stream.lines.unfinished());
}

void Pipeline::hold(Stream& stream, Early early) {
  stream.early_bytes += early.size();
  early_bytes_ += early.size();
  if (stream.early.empty()) oldest_early_.emplace(early.number, stream.number);
  stream.early.push_back(std::move(early));
  while (stream.early_bytes > kEarlyOfStream) drop_early(stream);
  while (early_bytes_ > kEarly) drop_early(streams_.at(oldest_early_.begin()->second));
}

// Drops the oldest bytes that wait for the stream's name.
void Pipeline::drop_early(Stream& stream) {
  const Early& oldest = stream.early.front();
  stats_.unnamed += oldest.bytes.size();
  stream.early_bytes -= oldest.size();
  early_bytes_ -= oldest.size();
  oldest_early_.erase(oldest.number);
  stream.early.pop_front();
  if (!stream.early.empty()) oldest_early_.emplace(stream.early.front().number, stream.number);
}

std::list<Pipeline::Early> Pipeline::take_early(Stream& stream) {
  if (!stream.early.empty()) oldest_early_.erase(stream.early.front().number);
  early_bytes_ -= std::exchange(stream.early_bytes, 0);
  return std::exchange(stream.early, {});
}

void Pipeline::give_up_gaps(Clock::time_point now) {
  if (waiting_.empty()) return;
  FlowStore::Writing writing(store_, now);
  std::erase_if(waiting_, [&](StreamNo number) {
    const auto at = streams_.find(number);
    if (at == streams_.end()) return true;
    Stream& stream = at->second;
    while (stream.order.is_due(now)) give_up(stream, now, writing);
    return stream.order.until() == Clock::time_point::max();
  });
}

// A line whose newline does not come must not wait until its beginning is gone from the journal.
void Pipeline::finish_old_lines() {
  FlowStore::Writing writing(store_, Clock::now());
  for (auto& [number, stream] : streams_) {
    if (!stream.flow || stream.lines.unfinished() == 0 || stream.quarter + 1 >= quarters_) continue;
    renew(stream, writing);
    stream.lines.finish([&](const LineView& line) { add(stream, line, writing); });
  }
}

void Pipeline::forget_ended(Clock::time_point now) {
  while (!ended_.empty() && now - ended_.front().at >= kRemembered) {
    if (const auto at = streams_.find(ended_.front().stream); at != streams_.end()) {
      static_cast<void>(take_early(at->second));
      streams_.erase(at);
    }
    ended_.pop_front();
  }
}

}  // namespace flowtap::flow
