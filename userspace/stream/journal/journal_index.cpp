#include "stream/journal/journal_index.hpp"

#include <algorithm>
#include <cstdint>

namespace flowtap::flow {
namespace {

/// A reader walks a run from its start, so it must not be long.
constexpr std::uint64_t kMaxRun = std::uint64_t{64} << 10U;
/// How many rings are remembered: one of each build that drained here.
constexpr std::size_t kMaxRings = 16;
/// How many streams are remembered that ended while nothing could be written. Without a bound, memory would grow with them.
constexpr std::size_t kMaxUnstated = 32'768;

}  // namespace

const JournalIndex::SegmentNode* JournalIndex::segment(std::uint32_t number) const {
  const auto number_of = [](const SegmentNode& node) { return node.file->number(); };
  const auto at = std::ranges::lower_bound(segments_, number, {}, number_of);
  return at != segments_.end() && at->file->number() == number ? &*at : nullptr;
}

const Stream* JournalIndex::find(StreamNo number) const {
  const auto at = streams_.find(number);
  return at == streams_.end() ? nullptr : &at->second;
}

/// The stream, made if it is new. References stay valid until it is forgotten.
Stream& JournalIndex::touch(StreamNo number) {
  if (number == latest_number_ && latest_ != nullptr) return *latest_;
  latest_ = &streams_[number];
  latest_number_ = number;
  return *latest_;
}

void JournalIndex::mention(StreamNo number) {
  SegmentNode& node = segments_.back();
  Stream& stream = touch(number);
  if (stream.mentioned_in == node.file->number()) return;
  stream.mentioned_in = node.file->number();
  node.mentions.push_back(number);
}

void JournalIndex::apply(std::uint64_t batch, std::span<const std::byte> entries, std::size_t at) {
  batch_ = batch;
  const std::uint32_t number = segments_.back().file->number();
  EntryWalk walk(entries);
  while (const auto view = walk.next())
    enter(*view, {number, static_cast<std::uint32_t>(at + view->at), static_cast<std::uint32_t>(view->size)});
}

void JournalIndex::apply_unwritten(std::uint64_t batch, const Batch& unwritten) {
  batch_ = batch;
  EntryWalk walk(unwritten.entries());
  while (const auto view = walk.next()) enter(*view, {});
  for (const StreamNo number : unwritten.streams()) set_unstated(number);
  forget_surplus();
}

void JournalIndex::enter(const EntryView& view, Place place) {
  const auto note = [&](StreamNo number) {
    if (place.segment != 0) mention(number);
  };
  switch (view.kind) {
    case EntryKind::kBytes:
    case EntryKind::kFileBytes:
      if (const auto entry = bytes_entry(view)) {
        note(entry->stream);
        enter_bytes(*entry, place);
      }
      return;
    case EntryKind::kStream:
      if (auto entry = stream_entry(view)) {
        note(entry->stream);
        touch(entry->stream).name = std::make_shared<const StreamName>(std::move(entry->name));
      }
      return;
    case EntryKind::kState:
      if (const auto entry = state_entry(view)) {
        note(entry->stream);
        enter_state(*entry);
      }
      return;
    case EntryKind::kEnd:
      if (const auto entry = end_entry(view)) {
        note(entry->stream);
        StreamSums& sums = touch(entry->stream).sums;
        set_ended(sums, true);
        sums.passed = std::max(sums.passed, entry->passed);
        sums.lost = entry->lost;
      }
      return;
    case EntryKind::kMissed:
      if (const auto entry = missed_entry(view)) {
        note(entry->stream);
        Stream& stream = touch(entry->stream);
        if (entry->to > entry->from) {
          stream.missed_from = entry->from;
          stream.missed_to = entry->to;
        } else {
          stream.broke_off = true;
        }
        stream.sums.passed = std::max(stream.sums.passed, entry->to);
      }
      return;
    case EntryKind::kPosition:
      if (const auto entry = position_entry(view); entry && place.segment != 0) enter_position(*entry);
      return;
    case EntryKind::kBatch:
      return;
  }
}

void JournalIndex::enter_bytes(const BytesEntry& entry, Place place) {
  Stream& stream = touch(entry.stream);
  StreamSums& sums = stream.sums;
  if (stream.batch != batch_) {
    stream.batch = batch_;
    stream.settled = sums.passed;
  }
  bool follows = false;
  if (place.segment != 0) {
    StreamNo& tail = segments_.back().tail;
    follows = std::exchange(tail, entry.stream) == entry.stream;
  }
  insert(stream, entry, place, follows);
  sums.passed = std::max(sums.passed, entry.offset + entry.bytes.size());
  if (sums.first == 0) sums.first = entry.time;
  sums.last = std::max(sums.last, entry.time);
}

/// What is already there stays, so nothing is double. Usually all is new, and stands behind everything.
void JournalIndex::insert(Stream& stream, const BytesEntry& entry, Place place, bool follows) {
  auto& extents = stream.extents;
  std::uint64_t from = entry.offset;
  const std::uint64_t end = entry.offset + entry.bytes.size();
  const auto count = [&](std::uint64_t bytes) {
    stream.sums.captured += bytes;
    (place.segment != 0 ? stream.held : stream.sums.unwritten) += bytes;
  };
  const auto extent = [&](std::uint64_t to) {
    return Extent{from, static_cast<std::uint32_t>(to - from), place.segment, place.at, place.size};
  };
  if (extents.empty() || extents.back().end() <= from) {
    count(end - from);
    if (!extents.empty() && extents.back().end() == from && extents.back().segment == place.segment) {
      Extent& last = extents.back();
      const std::uint64_t size = std::uint64_t{place.at} + place.size - last.at;
      const std::uint64_t length = end - last.offset;
      if (place.segment == 0 ? length < UINT32_MAX : follows && size <= kMaxRun) {
        last.length = static_cast<std::uint32_t>(length);
        last.size = static_cast<std::uint32_t>(size);
        return;
      }
    }
    extents.push_back(extent(end));
    return;
  }
  auto at = std::ranges::upper_bound(extents, from, {}, &Extent::end);  // the first that ends behind `from`
  while (from < end) {
    const std::uint64_t gap_end = at == extents.end() ? end : std::min(end, at->offset);
    if (gap_end > from) {
      count(gap_end - from);
      at = extents.insert(at, extent(gap_end)) + 1;
      stream.disordered = true;
      from = gap_end;
    } else {
      from = at->end();
      ++at;
    }
  }
}

void JournalIndex::enter_state(const StateEntry& entry) {
  Stream& stream = touch(entry.stream);
  // What came before, and is in no segment any more, was evicted. What has passed since was lost.
  const std::uint64_t known = stream.sums.passed;
  if (stream.extents.empty())
    stream.evicted_to = known > 0 ? std::min(known, entry.sums.passed) : entry.sums.passed;
  set_ended(stream.sums, entry.sums.ended);
  stream.sums = entry.sums;
}

void JournalIndex::set_ended(StreamSums& sums, bool ended) {
  if (sums.ended == ended) return;
  sums.ended = ended;
  ended ? ++ended_ : --ended_;
}

void JournalIndex::forget(std::unordered_map<StreamNo, Stream>::iterator at) {
  if (at->second.sums.ended) --ended_;
  latest_ = nullptr;
  streams_.erase(at);
}

void JournalIndex::enter_position(const PositionEntry& entry) {
  const std::uint32_t segment = segments_.back().file->number();
  const auto at = std::ranges::find(rings_, entry.ring, &RingNode::ring);
  if (at != rings_.end()) {
    at->position = std::max(at->position, entry.position);
    at->mentioned_in = segment;
    return;
  }
  if (rings_.size() == kMaxRings) rings_.erase(std::ranges::min_element(rings_, {}, &RingNode::mentioned_in));
  rings_.push_back({entry.ring, entry.position, segment});
}

Segment::Ptr JournalIndex::evict_oldest() {
  SegmentNode node = std::move(segments_.front());
  segments_.pop_front();
  const std::uint32_t number = node.file->number();
  for (const StreamNo mention : node.mentions) {
    const auto at = streams_.find(mention);
    if (at == streams_.end()) continue;
    Stream& stream = at->second;
    drop_extents(stream, number);
    if (stream.mentioned_in != number) continue;
    stream.mentioned_in = 0;
    if (stream.sums.ended && !stream.unstated)
      forget(at);
    else
      set_unstated(mention);
  }
  return std::move(node.file);
}

void JournalIndex::drop_extents(Stream& stream, std::uint32_t segment) {
  auto& extents = stream.extents;
  const auto is_here = [segment](const Extent& extent) { return extent.segment == segment; };
  const auto drop = [&stream](const Extent& extent) {
    stream.held -= extent.length;
    stream.evicted_to = std::max(stream.evicted_to, extent.end());
  };
  if (stream.disordered) {
    for (const Extent& extent : extents)
      if (is_here(extent)) drop(extent);
    // What could not be written before them is gone as they are.
    std::erase_if(extents, [&](const Extent& extent) {
      return is_here(extent) || (extent.segment == 0 && extent.end() <= stream.evicted_to);
    });
  } else {  // then the oldest segment's are the first, with what could not be written between them
    auto behind = extents.begin();
    for (auto at = behind; at != extents.end() && (is_here(*at) || at->segment == 0); ++at) {
      if (!is_here(*at)) continue;
      drop(*at);
      behind = at + 1;
    }
    extents.erase(extents.begin(), behind);
  }
  if (extents.empty()) stream.disordered = false;
  if (extents.capacity() > 4 * extents.size() + 4) extents.shrink_to_fit();
}

void JournalIndex::set_unstated(StreamNo number) {
  Stream& stream = touch(number);
  if (!std::exchange(stream.unstated, true)) unstated_.push_back(number);
}

void JournalIndex::stated(std::span<const StreamNo> numbers) {
  if (unstated_.empty()) return;
  for (const StreamNo number : numbers)
    if (const auto at = streams_.find(number); at != streams_.end()) at->second.unstated = false;
  std::erase_if(unstated_, [this](StreamNo number) {
    const auto at = streams_.find(number);
    return at == streams_.end() || !at->second.unstated;
  });
}

void JournalIndex::forget_surplus() {
  if (unstated_.size() <= kMaxUnstated) return;
  // Half at once, oldest first, so that this is not done for each batch.
  std::size_t surplus = unstated_.size() - kMaxUnstated / 2;
  std::erase_if(unstated_, [&](StreamNo number) {
    if (surplus == 0) return false;
    const auto at = streams_.find(number);
    if (at != streams_.end() && (!at->second.sums.ended || at->second.mentioned_in != 0)) return false;
    if (at != streams_.end()) forget(at);
    --surplus;
    return true;
  });
}

std::uint64_t JournalIndex::extents() const {
  std::uint64_t sum = 0;
  for (const auto& [number, stream] : streams_) sum += stream.extents.size();
  return sum;
}

std::uint64_t JournalIndex::memory() const {
  // A node of the map has its value, the next pointer and malloc's word.
  std::uint64_t sum = streams_.bucket_count() * sizeof(void*);
  for (const auto& [number, stream] : streams_) {
    sum += sizeof(std::pair<const StreamNo, Stream>) + 2 * sizeof(void*);
    sum += stream.extents.capacity() * sizeof(Extent);
    if (stream.name)
      sum += sizeof(StreamName) + 32 + stream.name->flow.capacity() + stream.name->output.capacity() +
             stream.name->identity.capacity();
  }
  for (const auto& node : segments_) sum += sizeof node + node.mentions.capacity() * sizeof(StreamNo);
  return sum;
}

}  // namespace flowtap::flow
