#include "stream/journal/journal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kLeastSegment = 1024;
constexpr std::array<std::string_view, kJournalFailures> kFailureNames{"no_space", "io",        "read_only",
                                                                       "gone",     "too_large", "other"};

StreamView view_of(StreamNo number, const Stream& stream) {
  return {number, stream.name, stream.sums, stream.held, stream.broke_off};
}

// The time of the first bytes among them.
std::optional<std::uint64_t> first_time(std::span<const std::byte> entries) {
  EntryWalk walk(entries);
  while (const auto view = walk.next())
    if (view->kind == EntryKind::kBytes || view->kind == EntryKind::kFileBytes)
      if (const auto bytes = bytes_entry(*view)) return bytes->time;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(JournalFailure failure) {
  return kFailureNames.at(static_cast<std::size_t>(failure));
}

Result<std::unique_ptr<Journal>> Journal::open(JournalOptions options) {
  if (options.segment_bytes < kLeastSegment || options.segment_bytes > kMaxSegment / 2)
    return fail("a journal's segments cannot have " + std::to_string(options.segment_bytes) + " bytes",
                "at least " + std::to_string(kLeastSegment) + ", at most " + std::to_string(kMaxSegment / 2));
  if (options.max_bytes / 4 < options.segment_bytes)
    return fail("a journal of " + std::to_string(options.max_bytes) + " bytes is too small for segments of " +
                    std::to_string(options.segment_bytes),
                "it needs room for four of them");
  std::unique_ptr<Journal> journal(new Journal(std::move(options)));
  journal->replayed_ = replay_journal(journal->options_.dir, journal->index_, journal->aside_);
  journal->appendable_ = journal->replayed_.appendable;
  for (auto& node : journal->index_.segments()) {
    node.entered = node.file->size();
    journal->held_ += node.file->size();
    journal->last_number_ = node.file->number();
  }
  for (const SetAside& aside : journal->aside_) journal->held_ += aside.bytes;
  return journal;
}

std::optional<RingPosition> Journal::position_of(std::string_view ring_id) const {
  const std::scoped_lock lock(mutex_);
  const auto& rings = index_.rings();
  const auto at = std::ranges::find(rings, ring_hash(ring_id), &JournalIndex::RingNode::ring);
  if (at == rings.end()) return std::nullopt;
  return at->position;
}

Status Journal::append(const Batch& batch) {
  if (batch.empty()) return {};
  const std::uint64_t number = index_.batch() + 1;
  auto written = write(batch, number);
  if (!written) {
    const std::scoped_lock lock(mutex_);
    index_.apply_unwritten(number, batch);
    count_failure(written.error());
    keep_unwritten(batch);
  }
  // Followers are told after the index knows it, so that they find it.
  followers_.tell(batch.streams(), batch.named());
  return written;
}

void Journal::count_failure(const Error& error) {
  const auto failure = [&error] {
    switch (error.code) {
      case ENOSPC:
      case EDQUOT:
        return JournalFailure::kNoSpace;
      case EIO:
        return JournalFailure::kIo;
      case EROFS:
        return JournalFailure::kReadOnly;
      case ENOENT:
      case ENOTDIR:
      case ESTALE:
        return JournalFailure::kGone;
      case EFBIG:
        return JournalFailure::kTooLarge;
      default:
        return JournalFailure::kOther;
    }
  };
  ++stats_.failures.at(static_cast<std::size_t>(failure()));
  ++stats_.unwritten_batches;
  stats_.last_error = error.what;
}

Reading Journal::read(std::span<const StreamCursor> from, std::uint64_t limit) const {
  std::vector<ReadStep> steps;
  {
    const std::scoped_lock lock(mutex_);
    steps = plan_reading(index_, from, limit);
  }
  // This is not under the lock, so a slow file system holds up this reader alone.
  Reading reading = do_reading(steps, from);
  const std::scoped_lock lock(mutex_);
  reading.ended = std::ranges::all_of(reading.next, [this](const StreamCursor& cursor) {
    const Stream* const stream = index_.find(cursor.stream);
    return stream == nullptr || (stream->sums.ended && cursor.next >= stream->sums.passed);
  });
  return reading;
}

Result<Reading> Journal::read(StreamNo stream, std::uint64_t from, std::uint64_t limit) const {
  if (!this->stream(stream)) return fail("the journal does not know stream " + std::to_string(stream));
  const std::array cursors{StreamCursor{stream, from}};
  return read(cursors, limit);
}

void Journal::keep_unwritten(const Batch& batch) {
  JournalPlace behind{last_number_, 0};
  if (!index_.segments().empty()) behind.at = index_.segments().back().file->size();
  unwritten_.push_back({behind, {batch.entries().begin(), batch.entries().end()}});
  unwritten_bytes_ += batch.entries().size();
  while (unwritten_.size() > 1 && unwritten_bytes_ > kMostUnwritten) {
    unwritten_bytes_ -= unwritten_.front().entries.size();
    unwritten_.pop_front();
  }
}

std::vector<std::byte> Journal::take_unwritten(JournalPlace reached) {
  const std::scoped_lock lock(mutex_);
  if (unwritten_.empty()) return {};
  // What was written behind it waits for it, so it is next for whoever has come to the end of what was before it.
  const JournalPlace behind = unwritten_.front().behind;
  for (const auto& node : index_.segments()) {
    const JournalPlace end{
        node.file->number(),
        std::min(node.file->size(), node.file->number() == behind.segment ? behind.at : node.file->size())};
    if (end.segment <= behind.segment && reached < end && end.at > sizeof(RawSegmentHead)) return {};
  }
  std::vector<std::byte> entries = std::move(unwritten_.front().entries);
  unwritten_.pop_front();
  unwritten_bytes_ -= entries.size();
  return entries;
}

void Journal::taken(JournalPlace place) {
  const std::scoped_lock lock(mutex_);
  taken_ = place;
}

std::uint64_t Journal::untaken() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t bytes = 0;
  if (taken_)
    for (const auto& node : index_.segments()) {
      const std::uint64_t from = node.file->number() == taken_->segment ? taken_->at : 0;
      if (node.file->number() >= taken_->segment) bytes += node.entered - std::min(from, node.entered);
    }
  return bytes;
}

std::uint64_t Journal::most_untaken() const {
  // A drain of the ring, what is read of followed files at the same time, and names.
  constexpr std::uint64_t kAppend = std::uint64_t{3} << 20U;
  // One segment is slack. The oldest one may go as soon as some of it does not fit.
  const std::uint64_t kept = options_.max_bytes - 2 * options_.segment_bytes;
  return std::max(kept - std::min(kept, kAppend), options_.max_bytes / 4);
}

std::optional<JournalPlace> Journal::taken_to() const {
  const std::scoped_lock lock(mutex_);
  return taken_;
}

std::optional<std::uint64_t> Journal::untaken_since() const {
  constexpr std::size_t kPart = std::size_t{64} << 10U;
  JournalPlace place;
  std::optional<std::uint64_t> unwritten;
  {
    const std::scoped_lock lock(mutex_);
    if (!taken_) return std::nullopt;
    place = *taken_;
    if (!unwritten_.empty()) unwritten = first_time(unwritten_.front().entries);
  }
  while (true) {
    const auto part = tail(place, kPart);
    if (part && part->end) return unwritten;
    if (const auto time = part ? first_time(part->entries) : std::nullopt) return time;
    place = part ? part->next : skip(place);
  }
}

Result<JournalTail> Journal::tail(JournalPlace from, std::size_t limit, std::vector<std::byte> room) const {
  JournalTail tail{.entries = {}, .next = from, .room = std::move(room)};
  Segment::Ptr segment;
  std::uint64_t size = 0;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& node : index_.segments()) {
      if (node.file->number() < from.segment) continue;
      // Numbers may be left out, since files that somebody else made have them.
      const bool begins = node.file->number() != from.segment || from.at < sizeof(RawSegmentHead);
      tail.evicted = tail.evicted || (begins && from.segment != 0 && from.at != 0 && !segment);
      tail.next = {node.file->number(), begins ? sizeof(RawSegmentHead) : from.at};
      segment = node.file;
      // This is not the file's size: whoever gets an entry is to find its stream known here.
      size = node.entered;
      if (!unwritten_.empty() && segment->number() >= unwritten_.front().behind.segment) {
        const bool is_last = segment->number() == unwritten_.front().behind.segment;
        size = is_last ? std::min(size, unwritten_.front().behind.at) : 0;
      }
      if (tail.next.at < size) break;
      from = skip(tail.next);
    }
  }
  if (!segment || tail.next.at >= size) {
    tail.end = true;
    return tail;
  }
  const std::uint64_t left = size - tail.next.at;
  std::size_t whole = 0;
  for (std::uint64_t wanted = std::min<std::uint64_t>(left, limit); whole == 0; wanted *= 2) {
    const std::size_t part = std::min(wanted, left);
    if (tail.room.size() < part) tail.room.resize(part);
    FTAP_TRY_ASSIGN(read, segment->read(tail.next.at, std::span(tail.room).first(part)));
    tail.entries = std::span(tail.room).first(read);
    while (const auto batch = batch_at(tail.entries, whole))
      whole = batch->entries_at + batch->entries.size();
    if (whole == 0 && wanted >= left) return fail("the segment " + segment->path() + " is damaged");
  }
  tail.entries = tail.entries.first(whole);
  tail.next.at += whole;
  return tail;
}

std::vector<StreamView> Journal::streams() const {
  const std::scoped_lock lock(mutex_);
  std::vector<StreamView> views;
  views.reserve(index_.streams().size());
  for (const auto& [number, stream] : index_.streams()) views.push_back(view_of(number, stream));
  return views;
}

std::vector<StreamView> Journal::streams_of(std::string_view flow) const {
  const std::scoped_lock lock(mutex_);
  std::vector<StreamView> views;
  for (const auto& [number, stream] : index_.streams())
    if (stream.name && stream.name->flow == flow) views.push_back(view_of(number, stream));
  return views;
}

std::optional<StreamView> Journal::stream(StreamNo number) const {
  const std::scoped_lock lock(mutex_);
  const Stream* const stream = index_.find(number);
  if (stream == nullptr) return std::nullopt;
  return view_of(number, *stream);
}

Result<std::shared_ptr<Follower>> Journal::follow(std::vector<StreamNo> streams, Followers::Hurry hurry) {
  FTAP_TRY_ASSIGN(follower, Follower::create(std::move(streams)));
  followers_.add(follower, hurry);
  return follower;
}

Result<std::shared_ptr<Follower>> Journal::follow_flow(std::string flow) {
  FTAP_TRY_ASSIGN(follower, Follower::of_flow(std::move(flow)));
  // A stream that is named behind this point is told by its batch.
  const std::scoped_lock lock(mutex_);
  for (const auto& [number, stream] : index_.streams())
    if (stream.name && stream.name->flow == follower->flow()) follower->join(number);
  followers_.add(follower);
  return follower;
}

JournalStats Journal::stats() const {
  const std::scoped_lock lock(mutex_);
  JournalStats stats = stats_;
  stats.segments = index_.segments().size();
  for (const auto& node : index_.segments()) stats.held_bytes += node.file->size();
  stats.streams = index_.streams().size();
  stats.extents = index_.extents();
  stats.index_memory = index_.memory();
  return stats;
}

}  // namespace flowtap::flow
