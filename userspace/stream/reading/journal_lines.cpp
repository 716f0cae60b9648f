#include "stream/reading/journal_lines.hpp"

#include <algorithm>

#include "stream/store/loss_causes.hpp"

namespace flowtap {

using flow::CriLine;
using flow::MissingCause;

JournalLines::JournalLines(const flow::Journal& journal, const std::string& flow,
                           const std::optional<std::map<flow::StreamNo, std::uint64_t>>& ends)
    : journal_(journal) {
  for (const flow::StreamView& stream : journal.streams()) {
    if (!stream.name || stream.name->flow != flow || stream.name->capture != flow::Capture::kTaken) continue;
    std::uint64_t end = stream.sums.passed;
    if (ends) {
      const auto at = ends->find(stream.number);
      end = at == ends->end() ? 0 : at->second;
    }
    if (end == 0) continue;
    Source& source =
        sources_
            .emplace(stream.number,
                     Source{.output = stream.name->output == "stderr" ? "stderr" : "stdout", .end = end})
            .first->second;
    look_at(stream, source);
  }
  begin_again();
}

void JournalLines::look_at(const flow::StreamView& stream, Source& source) {
  const auto reading = journal_.read(stream.number, 0, 1);
  std::uint64_t begin = 0;
  if (!reading) return;
  for (const flow::Piece& piece : reading->pieces) {
    if (piece.gap == flow::GapCause::kEvicted) begin = std::min(source.end, piece.offset + piece.length);
    if (piece.gap) continue;
    reach_.first = std::min(reach_.first.value_or(piece.time), piece.time);
    break;
  }
  reach_.ends += source.end;
  reach_.bytes += source.end - begin;
  reach_.missing += std::min(source.end, stream.sums.passed - std::min(stream.held, stream.sums.passed));
}

void JournalLines::begin_again() {
  cursors_.clear();
  for (auto& [number, source] : sources_) {
    source = Source{.output = source.output, .end = source.end};
    cursors_.push_back({number, 0});
  }
}

bool JournalLines::read(std::size_t budget, const Take& take) {
  bool any = false;
  const flow::Reading reading = journal_.read(cursors_, budget);
  for (flow::Piece part : reading.pieces) {
    const auto cursor = std::ranges::find(cursors_, part.stream, &flow::StreamCursor::stream);
    if (cursor == cursors_.end()) continue;
    any = true;
    Source& source = sources_.at(part.stream);
    part.length = std::min(part.length, source.end - part.offset);
    give(source, part, part.gap ? std::string_view() : reading.text(part), take);
    cursor->next = part.offset + part.length;
    if (cursor->next < source.end) continue;
    finish(source, cursor->next, take);
    cursors_.erase(cursor);
  }
  if (any) return !cursors_.empty();
  // The journal has forgotten them meanwhile.
  for (const flow::StreamCursor& cursor : cursors_) finish(sources_.at(cursor.stream), cursor.next, take);
  cursors_.clear();
  return false;
}

void JournalLines::give(Source& source, const flow::Piece& part, std::string_view text, const Take& take) {
  const auto give_line = [&](const flow::LineView& line) {
    take(CriLine{line.time, source.output, line.full, {}, line.text});
  };
  if (part.gap) {
    source.lines.finish(give_line);
    if (source.missing == 0) source.cause = cause_of(*part.gap);
    source.missing += part.length;
    source.lines.skip_to(part.offset + part.length);
    return;
  }
  source.time = part.time;
  give_gap(source, take);
  source.lines.add(text.substr(0, part.length), part.time, give_line);
}

void JournalLines::give_gap(Source& source, const Take& take) {
  if (source.missing == 0) return;
  const std::string text = flow::gap_text(source.missing, source.cause);
  take(CriLine{source.time, source.output, true, source.missing, text, false, source.cause});
  source.missing = 0;
}

void JournalLines::finish(Source& source, std::uint64_t from, const Take& take) {
  source.lines.finish(
      [&](const flow::LineView& line) { take(CriLine{line.time, source.output, line.full, {}, line.text}); });
  if (from < source.end) {
    if (source.missing == 0) source.cause = MissingCause::kMadeRoom;
    source.missing += source.end - from;
  }
  give_gap(source, take);
}

}  // namespace flowtap
