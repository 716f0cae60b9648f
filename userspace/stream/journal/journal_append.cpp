// How a batch gets into the journal: which segment it goes into, what has to make room for it, and what is written before it so
// that nothing which is still needed goes with the old segments.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/new_file.hpp"
#include "stream/journal/journal.hpp"

namespace flowtap::flow {
namespace {

/// Files that nobody looks into any more cost little, but each one is an inode and a descriptor.
constexpr std::size_t kSegmentsPerSize = 4;

}  // namespace

/// Writes, and gives up the oldest segments first if the file system is full: the newest bytes matter more.
Status Journal::write(const Batch& batch, std::uint64_t number) {
  if (batch.entries().size() > options_.max_bytes / 2)
    return fail_errno(EFBIG, "a batch of " + std::to_string(batch.entries().size()) +
                                 " bytes is too large for the journal");
  std::size_t tries = index_.segments().size() + aside_.size() + 2;
  while (true) {
    auto written = write_once(batch, number);
    if (written || !is_full(written.error()) || --tries == 0 || !make_room()) return written;
  }
}

Status Journal::write_once(const Batch& batch, std::uint64_t number) {
  FTAP_TRY(ready_segment(batch.entries().size()));
  while (!aside_.empty() && held_ + batch.entries().size() > options_.max_bytes - options_.segment_bytes)
    remove_aside();
  Plan now = plan(batch);
  if (held_ + kBatchHead + now.preface.size() + batch.entries().size() > options_.max_bytes &&
      now.victims > 0) {
    evict(now.victims);
    now = plan(batch);
  }
  const std::array<std::span<const std::byte>, 2> entries{now.preface, batch.entries()};
  const auto head = batch_head(number, entries);
  const std::array<std::span<const std::byte>, 3> parts{head, entries[0], entries[1]};
  const Segment::Ptr& segment = index_.segments().back().file;
  const std::uint64_t at = segment->size() + kBatchHead + now.preface.size();
  const std::uint64_t bytes = kBatchHead + now.preface.size() + batch.entries().size();
  if (auto written = segment->append(parts); !written) {
    appendable_ = !segment->is_broken();
    return written;
  }
  held_ += bytes;
  {
    const std::scoped_lock lock(mutex_);
    for (const StreamNo stream : now.states) index_.mention(stream);
    index_.stated(now.states);
    if (const auto& position = batch.position()) index_.enter_position(*position);
    index_.apply(number, batch.entries(), at);
    index_.segments().back().entered = segment->size();
    ++stats_.batches;
    stats_.bytes += bytes;
    stats_.last_error.clear();
  }
  evict(now.victims);
  return {};
}

/// Sees to it that the last segment has room for a batch of this many bytes, or begins a new one.
Status Journal::ready_segment(std::size_t bytes) {
  if (appendable_) {
    const Segment& last = *index_.segments().back().file;
    const bool has_batches = last.size() > sizeof(RawSegmentHead);
    const bool full = last.size() + kBatchHead + bytes > options_.segment_bytes;
    const bool crowded = index_.ended() > options_.max_ended && index_.segments().size() == 1;
    if (last.is_unlinked())
      abandon_segment();
    else if (has_batches && (full || crowded))
      appendable_ = false;
  }
  return appendable_ ? Status{} : create_segment();
}

/// Somebody removed the file under us, and perhaps others with it. All that the next start must know is written again.
void Journal::abandon_segment() {
  const std::scoped_lock lock(mutex_);
  appendable_ = false;
  ++stats_.removed_under_us;
  std::vector<StreamNo> all;
  for (const auto& [number, stream] : index_.streams()) all.push_back(number);
  for (const StreamNo number : all) index_.set_unstated(number);
}

Status Journal::create_segment() {
  // Somebody else's files may have taken numbers since the start.
  constexpr std::uint32_t kTries = 16;
  auto segment = Segment::create(options_.dir, last_number_ + 1);
  for (std::uint32_t i = 0; i < kTries && !segment; ++i) {
    if (segment.error().code == EEXIST)
      ++last_number_;
    else if (segment.error().code != ENOENT)
      break;
    else
      FTAP_TRY(make_dirs(options_.dir));
    segment = Segment::create(options_.dir, last_number_ + 1);
  }
  if (!segment) return std::unexpected(std::move(segment).error());
  const std::size_t most = kSegmentsPerSize * (options_.max_bytes / options_.segment_bytes);
  if (index_.segments().size() >= most) evict(index_.segments().size() - most + 1);
  const std::scoped_lock lock(mutex_);
  ++last_number_;
  held_ += (*segment)->size();
  index_.add_segment(std::move(*segment));
  appendable_ = true;
  return {};
}

std::size_t Journal::choose_victims(std::uint64_t bytes) const {
  const auto& segments = index_.segments();
  std::uint64_t held = held_ + bytes;
  // One segment is slack: what goes is removed only after what must be kept of it was written.
  const std::uint64_t bound = options_.max_bytes - options_.segment_bytes;
  const std::size_t ended = index_.ended();
  // What the taker does not have yet goes only where their number is no bound otherwise.
  const bool crowded = ended > 2 * options_.max_ended || (ended > options_.max_ended && is_oldest_taken());
  std::size_t victims = crowded ? 1 : 0;
  for (std::size_t i = 0; i < victims && i < segments.size(); ++i) held -= segments[i].file->size();
  while (victims + 1 < segments.size() && held > bound) held -= segments[victims++].file->size();
  return std::min(victims, segments.size() - 1);
}

Journal::Plan Journal::plan(const Batch& batch) const {
  Plan plan;
  plan.victims = choose_victims(kBatchHead + batch.entries().size());
  const auto& segments = index_.segments();
  const std::uint32_t current = segments.back().file->number();
  // The streams that this segment mentions for the first time, those that only the victims mention, and those never written.
  for (const StreamNo number : batch.streams())
    if (const Stream* const stream = index_.find(number);
        stream != nullptr && stream->mentioned_in != current)
      plan.states.push_back(number);
  for (std::size_t i = 0; i < plan.victims; ++i)
    for (const StreamNo number : segments[i].mentions) {
      const Stream* const stream = index_.find(number);
      if (stream != nullptr && stream->mentioned_in == segments[i].file->number() && !stream->sums.ended)
        plan.states.push_back(number);
    }
  plan.states.insert(plan.states.end(), index_.unstated().begin(), index_.unstated().end());
  std::ranges::sort(plan.states);
  plan.states.erase(std::ranges::unique(plan.states).begin(), plan.states.end());

  if (segments.back().file->size() == sizeof(RawSegmentHead))
    for (const auto& ring : index_.rings()) put(plan.preface, PositionEntry{ring.ring, ring.position});
  if (batch.position()) put(plan.preface, *batch.position());
  std::erase_if(plan.states, [&](StreamNo number) {
    const Stream* const stream = index_.find(number);
    // What does not fit waits for the next batch: it stays, or becomes, unstated.
    if (stream == nullptr || plan.preface.size() > options_.max_bytes / 4) return true;
    if (stream->name) put(plan.preface, StreamEntry{number, *stream->name});
    put(plan.preface, StateEntry{number, stream->sums});
    if (stream->missed_to > stream->missed_from)
      put(plan.preface, MissedEntry{number, stream->missed_from, stream->missed_to, stream->sums.last});
    return false;
  });
  return plan;
}

/// Gives something up, since the file system is full. False: there is nothing left to give up.
bool Journal::make_room() {
  if (!aside_.empty()) {
    remove_aside();
    return true;
  }
  if (index_.segments().empty() || !is_oldest_taken()) return false;
  evict(1);
  if (index_.segments().empty()) appendable_ = false;
  return true;
}

std::uint64_t Journal::give_up(std::uint64_t bytes) {
  const std::uint64_t before = held_;
  while (before - held_ < bytes && !aside_.empty()) remove_aside();
  while (before - held_ < bytes && index_.segments().size() > 1) evict(1);
  const std::uint64_t removed = before - held_;
  // Says again what only they said of streams that go on.
  if (removed != 0) static_cast<void>(write(Batch(), index_.batch() + 1));
  return removed;
}

bool Journal::is_oldest_taken() const {
  const std::scoped_lock lock(mutex_);
  const auto& oldest = index_.segments().front();
  const JournalPlace end{oldest.file->number(), oldest.entered};
  return !taken_ || oldest.entered <= sizeof(RawSegmentHead) || *taken_ >= end;
}

void Journal::remove_aside() {
  ::unlink(aside_.front().path.c_str());
  held_ -= aside_.front().bytes;
  aside_.erase(aside_.begin());
}

void Journal::evict(std::size_t segments) {
  if (segments == 0) return;
  const std::scoped_lock lock(mutex_);
  for (; segments > 0; --segments) {
    const Segment::Ptr segment = index_.evict_oldest();
    segment->remove();
    held_ -= segment->size();
    ++stats_.evicted_segments;
    stats_.evicted_bytes += segment->size();
  }
}

}  // namespace flowtap::flow
