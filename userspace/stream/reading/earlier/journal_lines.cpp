#include "stream/reading/earlier/journal_lines.hpp"

#include <algorithm>
#include <utility>

#include "stream/store/loss_causes.hpp"

namespace flowtap {

using flow::CriLine;
using flow::MissingCause;

JournalLines::JournalLines(const flow::Journal& journal, const std::string& flow,
                           const std::optional<Offsets>& ends, MissingCause lost_by)
    : journal_(&journal), lost_by_(lost_by) {
  for (const flow::StreamView& stream : journal.streams_of(flow)) {
    if (stream.name->capture != flow::Capture::kTaken) continue;
    std::uint64_t end = stream.sums.passed;
    if (ends) {
      const auto at = ends->find(stream.number);
      end = at == ends->end() ? 0 : at->second;
    }
    if (end == 0) continue;
    const std::string_view output = stream.name->output == "stderr" ? "stderr" : "stdout";
    const bool broke_off = stream.broke_off && end == stream.sums.passed;
    sources_.emplace(stream.number,
                     Source{.output = output, .end = end, .last = stream.sums.last, .broke_off = broke_off});
    reach_.broke_off = reach_.broke_off || broke_off;
    std::optional<std::uint64_t> time;
    reach_.bytes += end - find_oldest(stream.number, end, &time);
    if (time) reach_.first = std::min(reach_.first.value_or(*time), *time);
    reach_.ends.at(flow::output_index(output)) += end;
    reach_.missing += std::min(end, stream.sums.passed - std::min(stream.held, stream.sums.passed));
  }
  go_to({});
}

// Where the oldest byte stands that the journal has of a stream, and its time, if there is one.
std::uint64_t JournalLines::find_oldest(flow::StreamNo stream, std::uint64_t end,
                                        std::optional<std::uint64_t>* time) const {
  const auto reading = journal_->read(stream, 0, 1);
  if (!reading) return end;
  std::uint64_t begin = 0;
  for (const flow::Piece& piece : reading->pieces) {
    if (piece.gap == flow::MissingCause::kMadeRoom) begin = std::min(end, piece.offset + piece.length);
    if (piece.gap) continue;
    if (time != nullptr) *time = piece.time;
    break;
  }
  return begin;
}

JournalLines::Offsets JournalLines::oldest() const {
  Offsets oldest;
  for (const auto& [number, source] : sources_) oldest.emplace(number, find_oldest(number, source.end));
  return oldest;
}

std::optional<OfOutputs> JournalLines::begins() const {
  OfOutputs begins{};
  std::array<bool, 2> has_one{};
  for (const auto& [number, source] : sources_) {
    const std::size_t output = flow::output_index(source.output);
    if (std::exchange(has_one.at(output), true)) return std::nullopt;
    begins.at(output) = find_oldest(number, source.end);
  }
  return begins;
}

std::uint64_t JournalLines::given_up() const {
  OfOutputs bytes{};
  for (const auto& [number, offset] : oldest())
    bytes.at(flow::output_index(sources_.at(number).output)) += offset;
  return std::min(bytes[0], most_[0]) + std::min(bytes[1], most_[1]);
}

void JournalLines::end_at(const OfOutputs& bytes) {
  most_ = bytes;
  drop_full_outputs();
}

JournalLines::Offsets JournalLines::next() const {
  Offsets next;
  for (const auto& [number, source] : sources_) next.emplace(number, source.given);
  return next;
}

void JournalLines::go_to(const Offsets& next) {
  cursors_.clear();
  given_ = {};
  for (auto& [number, source] : sources_) {
    const auto known = next.find(number);
    const std::uint64_t at = known == next.end() ? 0 : std::min(known->second, source.end);
    source = Source{.output = source.output,
                    .end = source.end,
                    .last = source.last,
                    .broke_off = source.broke_off,
                    .given = at};
    source.lines.skip_to(at);
    given_.at(flow::output_index(source.output)) += at;
    if (at < source.end) cursors_.push_back({number, at});
  }
  drop_full_outputs();
}

std::uint64_t JournalLines::room_for(const Source& source) const {
  const std::size_t output = flow::output_index(source.output);
  return most_.at(output) - std::min(most_.at(output), given_.at(output));
}

void JournalLines::drop_full_outputs() {
  std::erase_if(cursors_, [this](const flow::StreamCursor& cursor) {
    return room_for(sources_.at(cursor.stream)) == 0;
  });
}

bool JournalLines::read(std::size_t budget, const Take& take) {
  finish_forgotten(take);
  bool any = false;
  const flow::Reading reading = journal_->read(cursors_, budget);
  for (flow::Piece part : reading.pieces) {
    const auto cursor = std::ranges::find(cursors_, part.stream, &flow::StreamCursor::stream);
    if (cursor == cursors_.end()) continue;
    any = true;
    Source& source = sources_.at(part.stream);
    part.length = std::min(part.length, source.end - part.offset);
    add(source, part, part.gap ? std::string_view() : reading.text(part), take);
    cursor->next = part.offset + part.length;
    if (cursor->next == source.end) {
      finish(source, cursor->next, take);
      cursors_.erase(cursor);
    }
    drop_full_outputs();
  }
  if (any) return !cursors_.empty();
  for (const flow::StreamCursor& cursor : cursors_) finish(sources_.at(cursor.stream), cursor.next, take);
  cursors_.clear();
  return false;
}

// When the last bytes of an ended stream go, the journal forgets the whole stream.
void JournalLines::finish_forgotten(const Take& take) {
  std::erase_if(cursors_, [&](const flow::StreamCursor& cursor) {
    if (journal_->stream(cursor.stream)) return false;
    finish(sources_.at(cursor.stream), cursor.next, take);
    return true;
  });
}

void JournalLines::add(Source& source, const flow::Piece& part, std::string_view text, const Take& take) {
  const auto give_line = [&](const flow::LineView& line) { give(source, line, take); };
  if (part.gap) {
    source.lines.finish(give_line);
    if (source.missing == 0) source.cause = *part.gap == MissingCause::kUnknown ? lost_by_ : *part.gap;
    source.missing += part.length;
    source.lines.skip_to(part.offset + part.length);
    return;
  }
  source.time = part.time;
  give_gap(source, take);
  source.lines.add(text.substr(0, part.length), part.time, give_line);
}

void JournalLines::give(Source& source, const flow::LineView& line, const Take& take) {
  const std::uint64_t room = room_for(source);
  if (room == 0) return;
  CriLine out{line.time, source.output, line.full, {}, line.text};
  std::uint64_t size = line.end - line.begin;
  if (size > room) {
    size = room;
    out.full = false;
    out.text = line.text.substr(0, room);
  }
  take(out);
  source.given = line.begin + size;
  given_.at(flow::output_index(source.output)) += size;
}

void JournalLines::give_gap(Source& source, const Take& take) {
  const std::uint64_t bytes = std::min(source.missing, room_for(source));
  source.missing = 0;
  if (bytes == 0) return;
  const std::string text = flow::gap_text(bytes, source.cause);
  take(CriLine{source.time, source.output, true, bytes, text, false, source.cause});
  source.given += bytes;
  given_.at(flow::output_index(source.output)) += bytes;
}

void JournalLines::finish(Source& source, std::uint64_t from, const Take& take) {
  source.lines.finish([&](const flow::LineView& line) { give(source, line, take); });
  if (from < source.end) {
    if (source.missing == 0) source.cause = MissingCause::kMadeRoom;
    source.missing += source.end - from;
  }
  source.time = std::max(source.time, source.last);
  give_gap(source, take);
  // If the store's log begins here, it has the mark.
  if (source.broke_off && room_for(source) > 0) {
    const std::string text = flow::gap_text(0, MissingCause::kBrokeOff);
    take(CriLine{source.time, source.output, true, 0, text, false, MissingCause::kBrokeOff});
  }
}

}  // namespace flowtap
