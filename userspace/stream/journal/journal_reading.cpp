#include "stream/journal/journal_reading.hpp"

#include <algorithm>
#include <limits>

namespace flowtap::flow {
namespace {

/// The most steps of one plan, since a lock is held while it is made.
constexpr std::size_t kMaxSteps = kMaxPieces;
constexpr auto kBehindAll = std::numeric_limits<std::uint64_t>::max();

/// A stream while it is planned.
struct Source {
  StreamNo number = 0;
  const Stream* stream = nullptr;
  std::uint64_t next = 0;
  bool done = false;
};

bool is_written(const Extent& extent) {
  return extent.segment != 0;
}

/// Whether a gap in front of `behind` may still be filled, by writers that were overtaken after they had taken their offset.
bool may_be_filled(const JournalIndex& index, const Stream& stream, const Extent& behind) {
  return !stream.sums.ended && stream.batch == index.batch() && behind.offset >= stream.settled;
}

struct Next {
  ReadStep step;
  std::uint64_t order = kBehindAll;  // its place in the journal, or that of what stands behind the gap
};

/// What comes next of a stream: bytes, a gap, or nothing.
std::optional<Next> next_of(const JournalIndex& index, const Source& source) {
  const Stream& stream = *source.stream;
  const auto& extents = stream.extents;
  const auto at = std::ranges::upper_bound(extents, source.next, {}, &Extent::end);
  const auto written = std::find_if(at, extents.end(), is_written);
  Next next;
  next.step.piece.stream = source.number;
  next.step.piece.offset = source.next;
  if (written != extents.end()) next.order = std::uint64_t{written->segment} << 32U | written->at;
  const auto gap_to = [&](std::uint64_t end, MissingCause cause) {
    next.step.piece.length = end - source.next;
    next.step.piece.gap = cause;
    return next;
  };
  if (at != extents.end() && at->offset <= source.next) {
    if (!is_written(*at)) return gap_to(at->end(), MissingCause::kUnwritten);
    const auto* node = index.segment(at->segment);
    if (node == nullptr) return gap_to(at->end(), MissingCause::kUnreadable);
    next.step.piece.length = at->end() - source.next;
    next.step.segment = node->file;
    next.step.extent = *at;
    return next;
  }
  std::uint64_t gap_end = at != extents.end() ? at->offset : stream.sums.passed;
  if (source.next >= gap_end) return std::nullopt;
  // This comes first: what stood before and behind it may have been evicted since.
  if (source.next < stream.missed_to && source.next >= stream.missed_from)
    return gap_to(std::min(gap_end, stream.missed_to), MissingCause::kElsewhere);
  if (source.next < stream.missed_from) gap_end = std::min(gap_end, stream.missed_from);
  if (source.next < stream.evicted_to)
    return gap_to(std::min(gap_end, stream.evicted_to), MissingCause::kMadeRoom);
  next.step.piece.may_come = at != extents.end() && may_be_filled(index, stream, *at);
  return gap_to(gap_end, MissingCause::kUnknown);
}

/// What was read of a segment last. Runs of streams that write in turns are short and stand side by side, so one read
/// serves many.
class Window {
 public:
  /// The entries of the first step's run.
  std::span<const std::byte> of(std::span<const ReadStep> steps) {
    const ReadStep& step = steps.front();
    const std::uint64_t at = step.extent.at;
    const std::uint64_t end = at + step.extent.size;
    if (segment_ != step.segment || at < begin_ || end > begin_ + bytes_.size()) read(steps);
    if (end > begin_ + bytes_.size()) return {};  // the file is shorter than it was
    return std::span<const std::byte>(bytes_).subspan(at - begin_, step.extent.size);
  }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{64} << 10U;

  /// Its run, and those behind it that are soon wanted.
  void read(std::span<const ReadStep> steps) {
    segment_ = steps.front().segment;
    begin_ = steps.front().extent.at;
    std::uint64_t end = begin_ + steps.front().extent.size;
    for (const ReadStep& step : steps.subspan(1)) {
      if (step.piece.gap) continue;
      const std::uint64_t its_end = std::uint64_t{step.extent.at} + step.extent.size;
      if (step.segment != segment_ || step.extent.at < begin_ || its_end > begin_ + kMost) break;
      end = std::max(end, its_end);
    }
    bytes_.resize(end - begin_);
    bytes_.resize(segment_->read(begin_, bytes_).value_or(0));
  }

  Segment::Ptr segment_;
  std::uint64_t begin_ = 0;
  std::vector<std::byte> bytes_;
};

/// The bytes of a run, record by record. False: it does not hold what it should.
bool read_run(const ReadStep& step, std::span<const std::byte> entries, Reading& reading,
              std::uint64_t& next) {
  const std::uint64_t end = step.piece.offset + step.piece.length;
  EntryWalk walk(entries);
  while (next < end && reading.pieces.size() < kMaxPieces) {
    const auto view = walk.next();
    if (!view) return false;
    if (view->kind != EntryKind::kBytes && view->kind != EntryKind::kFileBytes) continue;
    const auto entry = bytes_entry(*view);
    if (!entry || entry->stream != step.piece.stream || entry->offset > next) continue;
    const std::uint64_t skip = next - entry->offset;
    if (skip >= entry->bytes.size()) continue;
    const auto bytes = entry->bytes.subspan(skip).first(std::min(entry->bytes.size() - skip, end - next));
    const std::uint64_t position = entry->position == 0 ? 0 : entry->position + skip;
    reading.pieces.push_back(
        {entry->stream, next, bytes.size(), {}, entry->time, position, reading.bytes.size()});
    reading.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    next += bytes.size();
  }
  return true;
}

}  // namespace

std::vector<ReadStep> plan_reading(const JournalIndex& index, std::span<const StreamCursor> from,
                                   std::uint64_t limit) {
  std::vector<Source> sources;
  for (const StreamCursor& cursor : from) {
    const Stream* const stream = index.find(cursor.stream);
    if (stream != nullptr) sources.push_back({cursor.stream, stream, cursor.next, false});
  }
  std::vector<ReadStep> steps;
  while (limit > 0 && steps.size() < kMaxSteps) {
    std::optional<Next> first;
    Source* whose = nullptr;
    for (Source& source : sources) {
      if (source.done) continue;
      auto next = next_of(index, source);
      source.done = !next;
      if (!next || (first && first->order <= next->order)) continue;
      first = std::move(next);
      whose = &source;
    }
    if (!first) break;
    Piece& piece = first->step.piece;
    if (!piece.gap) piece.length = std::min(piece.length, limit);
    if (!piece.gap) limit -= piece.length;
    whose->next += piece.length;
    if (piece.may_come) whose->done = true;
    steps.push_back(std::move(first->step));
  }
  return steps;
}

Reading do_reading(const std::vector<ReadStep>& steps, std::span<const StreamCursor> from) {
  Reading reading;
  reading.next.assign(from.begin(), from.end());
  Window window;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ReadStep& step = steps[i];
    if (reading.pieces.size() >= kMaxPieces) break;
    auto& next = std::ranges::find(reading.next, step.piece.stream, &StreamCursor::stream)->next;
    const std::uint64_t end = step.piece.offset + step.piece.length;
    if (step.piece.gap) {
      reading.pieces.push_back(step.piece);
      reading.pieces.back().at = reading.bytes.size();
      if (!step.piece.may_come) next = end;
    } else if (!read_run(step, window.of(std::span(steps).subspan(i)), reading, next)) {
      reading.pieces.push_back(
          {step.piece.stream, next, end - next, MissingCause::kUnreadable, 0, 0, reading.bytes.size()});
      next = end;
    }
  }
  return reading;
}

}  // namespace flowtap::flow
