#include "flow/pipeline.hpp"

#include <algorithm>

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

// What is done under one lock of the store.
constexpr std::size_t kTaken = std::size_t{256} << 10U;
// Names come within milliseconds; bytes of who is let go wait for nothing.
constexpr std::size_t kEarlyOfStream = std::size_t{256} << 10U;
constexpr std::size_t kEarly = std::size_t{8} << 20U;
// So long after its end a stream is remembered, so that what comes late is not taken for a new one's.
constexpr auto kRemembered = 10s;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void Pipeline::replay(std::uint64_t wall_ns) {
  const auto now = Clock::now();
  while (take(now, wall_ns)) continue;
  // What has not come by now will not.
  give_up_holes(now + StreamOrder::kPatience);
  store_.end_orphans(wall_ns);
  store_.flush(now, wall_ns, true);
}

bool Pipeline::take(Clock::time_point now, std::uint64_t wall_ns) {
  auto tail = journal_.tail(place_, kTaken);
  if (!tail) {
    ++stats_.damaged;
    place_ = Journal::skip(place_);
    return true;
  }
  place_ = tail->next;
  {
    FlowStore::Writing writing(store_, now);
    EntryWalk walk(tail->entries);
    while (const auto view = walk.next()) enter(*view, writing, now);
  }
  give_up_holes(now);
  forget_ended(now);
  since_flush_ += tail->entries.size();
  if (since_flush_ >= quarter_) next_quarter(now, wall_ns);
  return !tail->end;
}

void Pipeline::next_quarter(Clock::time_point now, std::uint64_t wall_ns) {
  since_flush_ = 0;
  ++quarters_;
  finish_old_lines();
  store_.flush(now, wall_ns, true);
}

Pipeline::Clock::time_point Pipeline::next() const {
  Clock::time_point next = Clock::time_point::max();
  for (const StreamNo number : holes_)
    if (const auto at = streams_.find(number); at != streams_.end())
      next = std::min(next, at->second.order.until());
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
  if (!waited && stream.order.until() != Clock::time_point::max()) holes_.push_back(entry.stream);
}

// The journal says it before the first entry of a stream whose entries before had to make room.
void Pipeline::state(const StateEntry& entry, FlowStore::Writing& writing) {
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  if (stream.begun) return;
  stream.begun = true;
  stream.time = entry.sums.last;
  stream.order = StreamOrder(entry.sums.passed);
  stream.lines.skip_to(entry.sums.passed);
  if (stream.flow) begin(stream, writing);
}

// Up to where the journal begins, all should stand in the flow already.
void Pipeline::begin(const Stream& stream, FlowStore::Writing& writing) {
  const std::uint64_t from = stream.lines.next();
  if (from > stream.flow->log.position_of(stream.number))
    writing.add_gap(*stream.flow, stream.number, stream.output, from, stream.time);
}

void Pipeline::name(const StreamEntry& entry, FlowStore::Writing& writing) {
  if (entry.name.capture != Capture::kTaken || entry.name.flow.empty()) return;
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  if (stream.ended || (stream.flow && stream.flow->log.id() == entry.name.flow)) return;
  if (stream.flow && !stream.flow->gone) return writing.rename(*stream.flow, entry.name.flow);
  stream.flow = writing.flow(entry.name.flow);
  stream.output = entry.name.output == "stderr" ? "stderr" : "stdout";
  writing.open_stream(*stream.flow);
  begin(stream, writing);
  early_bytes_ -= std::exchange(stream.early_bytes, 0);
  for (const Early& early : std::exchange(stream.early, {}))
    give(stream, early.offset, early.bytes, early.time, writing);
}

void Pipeline::end(const EndEntry& entry, FlowStore::Writing& writing, Clock::time_point now) {
  Stream& stream = streams_[entry.stream];
  stream.number = entry.stream;
  if (stream.ended) return;
  stream.begun = true;
  while (stream.order.until() != Clock::time_point::max()) give_up(stream, now, writing);
  stream.ended = true;
  if (stream.flow) {
    if (entry.passed > stream.order.next()) miss(stream, entry.passed, writing);
    stream.lines.finish([&](const LineView& line) { add(stream, line, writing); });
    writing.end_stream(*stream.flow, entry.time);
    stream.flow.reset();
  }
  early_bytes_ -= std::exchange(stream.early_bytes, 0);
  stream.early.clear();
  ended_.push_back({entry.stream, now});
}

void Pipeline::give(Stream& stream, std::uint64_t offset, std::string_view bytes, std::uint64_t time,
                    FlowStore::Writing& writing) {
  stream.time = time;
  if (!stream.flow) return hold(stream, {offset, std::string(bytes), time});
  if (offset > stream.lines.next()) miss(stream, offset, writing);
  stats_.bytes += bytes.size();
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
}

// The bytes up to there will not come.
void Pipeline::miss(Stream& stream, std::uint64_t to, FlowStore::Writing& writing) {
  renew(stream, writing);
  stream.lines.finish([&](const LineView& line) { add(stream, line, writing); });
  stats_.missing += to - std::min(to, stream.lines.next());
  stream.lines.skip_to(to);
  writing.add_gap(*stream.flow, stream.number, stream.output, to, stream.time);
}

void Pipeline::add(Stream& stream, const LineView& line, FlowStore::Writing& writing) {
  writing.add(*stream.flow, stream.number, stream.output, line);
}

// It had to make room while it was written to.
void Pipeline::renew(Stream& stream, FlowStore::Writing& writing) {
  if (!stream.flow->gone) return;
  stream.flow = writing.flow(stream.flow->log.id());
  writing.open_stream(*stream.flow);
}

void Pipeline::hold(Stream& stream, Early early) {
  stream.early_bytes += early.bytes.size();
  early_bytes_ += early.bytes.size();
  stream.early.push_back(std::move(early));
  while (stream.early.size() > 1 && (stream.early_bytes > kEarlyOfStream || early_bytes_ > kEarly)) {
    const std::size_t size = stream.early.front().bytes.size();
    stats_.unnamed += size;
    stream.early_bytes -= size;
    early_bytes_ -= size;
    stream.early.pop_front();
  }
}

void Pipeline::give_up_holes(Clock::time_point now) {
  if (holes_.empty()) return;
  FlowStore::Writing writing(store_, now);
  std::erase_if(holes_, [&](StreamNo number) {
    const auto at = streams_.find(number);
    if (at == streams_.end()) return true;
    Stream& stream = at->second;
    while (stream.order.is_due(now)) give_up(stream, now, writing);
    return stream.order.until() == Clock::time_point::max();
  });
}

// A line whose newline does not come must not wait until the journal has lost its beginning.
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
    streams_.erase(ended_.front().stream);
    ended_.pop_front();
  }
}

}  // namespace flowtap::flow
