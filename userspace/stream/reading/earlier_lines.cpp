#include "stream/reading/earlier_lines.hpp"

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

using flow::CriLine;

// How many bytes are read before others have their turn.
constexpr std::size_t kSlice = std::size_t{64} << 10U;
// ns. A runtime's file that begins this much later than the flow has lost its beginning, unless its bytes say otherwise.
constexpr std::uint64_t kSameBeginning = 100'000'000;
// ns. It has lost its beginning for sure.
constexpr std::uint64_t kLaterBeginning = 1'000'000'000;

}  // namespace

Status EarlierLines::find(ReadingSpan& span, std::uint64_t silent) {
  if (options_.tail_lines && *options_.tail_lines <= span.tail) return {};
  FTAP_TRY_ASSIGN(wanted, open_history(span, silent));
  if (!wanted) return {};
  std::optional<flow::FlowStore::Standing> standing;
  if (flow_) standing = store_.standing(*flow_);
  const bool has_made_room = standing && standing->bounds.made_room > 0;
  if (history_ && (!flow_ || has_made_room)) oldest_ = history_->oldest();
  if (origin_.journal != nullptr && (!flow_ || has_made_room)) {
    lines_.emplace(*origin_.journal, id_, standing ? std::optional(standing->streams) : std::nullopt);
    if (is_journal_better(standing ? standing->bounds.bytes - standing->bounds.made_room : 0)) {
      take_journal(standing.value_or(flow::FlowStore::Standing()), span);
      return {};
    }
    lines_.reset();
  }
  if (has_made_room) miss_beginning(standing->bounds);
  start_history(span);
  return {};
}

// Opens the runtime's files if lines that are asked for may be in them. False: no earlier lines are asked for.
Result<bool> EarlierLines::open_history(const ReadingSpan& span, std::uint64_t silent) {
  for (flow::SeamKey& key : keys_) key.time = ~std::uint64_t{0};
  begin_ = span.begin;
  if (flow_) {
    if (histories_ != nullptr && histories_->is_whole(*flow_, span.begin)) return true;
    FTAP_TRY_ASSIGN(begun, seam_keys(store_, *flow_, span.begin, span.to, silent));
    keys_ = std::move(begun);
    const bool has_none = keys_[0].bytes.empty() && keys_[1].bytes.empty();
    const std::uint64_t first = std::min(keys_[0].time, keys_[1].time);
    if (options_.since && !has_none && ns_of(*options_.since) >= first) return false;
  }
  if (histories_ == nullptr) return true;
  auto history = histories_->open_log(id_, keys_);
  if (history) history_ = std::move(*history);  // else the runtime has no file, or it has just gone
  return true;
}

// `stored`: bytes that the store's log reaches back.
bool EarlierLines::is_journal_better(std::uint64_t stored) const {
  const JournalLines::Reach& reach = lines_->reach();
  if (!reach.first || reach.bytes <= stored) return false;
  if (!oldest_) return true;
  // If something is missing, the runtime has it, unless its file clearly begins later.
  return reach.is_without_gaps() ? *oldest_ >= *reach.first : *oldest_ > *reach.first + kLaterBeginning;
}

void EarlierLines::take_journal(const flow::FlowStore::Standing& standing, ReadingSpan& span) {
  history_.reset();
  const JournalLines::Reach& reach = lines_->reach();
  span.missing = reach.missing;
  if (flow_) {
    // Streams that the journal has forgotten.
    gap_ = standing.bounds.bytes - std::min(standing.bounds.bytes, reach.ends);
    gap_time_ = standing.bounds.first;
    span.missing += gap_;
    span.at = standing.bounds.end;
    span.lines = standing.bounds.lines;
    span.edits = standing.bounds.edits;
    span.within = {};
    span.to = span.at;
    span.lines_to = span.lines;
  }
  counts_lines_ = options_.tail_lines.has_value();
}

void EarlierLines::miss_beginning(const flow::FlowStore::Bounds& bounds) {
  const bool wanted = !options_.since || ns_of(*options_.since) <= bounds.first;
  if (!wanted || (history_ && options_.tail_lines)) return;
  const bool has_begun_there = oldest_ && *oldest_ <= bounds.first + kSameBeginning;
  if (history_ && has_begun_there) return;
  gap_ = bounds.made_room;
  gap_time_ = bounds.first;
  if (!history_) return;
  if (auto again = histories_->open_log(id_, keys_)) counted_ = std::move(*again);
}

void EarlierLines::start_history(const ReadingSpan& span) {
  if (!history_) return;
  if (options_.tail_lines)
    history_->start_at_last(*options_.tail_lines - span.tail, span.tail, options_.whole_lines);
  else if (options_.since)
    history_->start_at_time(ns_of(*options_.since));
}

bool EarlierLines::step(ReadingSpan& span) {
  if (counts_lines_) return count_tail(span);
  if (gap_ > 0 && counted_) return count_history(span);
  if (gap_ > 0 && !lines_) span.missing += std::exchange(gap_told_, true) ? 0 : gap_;
  return true;
}

std::uint64_t EarlierLines::number_of(const CriLine& line) {
  return line.missing ? numbers_.of_gap(line.output, shows_gaps(options_))
                      : numbers_.of(line.output, line.full);
}

bool EarlierLines::count_tail(ReadingSpan& span) {
  const bool more = lines_->read(kSlice, [this](const CriLine& line) {
    if (line.missing) gaps_.emplace_back(numbers_.last(), *line.missing);
    (void)number_of(line);
  });
  if (more) return false;
  counts_lines_ = false;
  leave_out_ = numbers_.last() - std::min(numbers_.last(), *options_.tail_lines);
  if (numbers_.last() >= *options_.tail_lines) gap_ = 0;
  span.missing = gap_;
  for (const auto& [lines, bytes] : gaps_) span.missing += lines >= leave_out_ ? bytes : 0;
  gaps_.clear();
  lines_->begin_again();
  numbers_ = flow::LineNumbers(options_.whole_lines);
  return true;
}

bool EarlierLines::count_history(ReadingSpan& span) {
  if (counted_->read(kSlice, [this](const flow::RuntimeLine& line) {
        counted_bytes_ += line.text.size() + (line.full ? 1 : 0);
        counted_ends_ += line.full ? 1 : 0;
      }))
    return false;
  counted_.reset();
  gap_ -= std::min(gap_, counted_bytes_);
  // Perhaps nothing but "\r" is missing.
  if (origin_.drops_returns && gap_ <= counted_ends_) gap_ = 0;
  span.missing += gap_;
  gap_told_ = true;
  return true;
}

void EarlierLines::give_gap(const Take& take) {
  const std::string_view output = options_.outputs == api::Outputs::kStderr ? "stderr" : "stdout";
  const auto cause = flow::MissingCause::kMadeRoom;
  std::string text = flow::gap_text(gap_, cause);
  if (options_.outputs != api::Outputs::kBoth)
    text = "[flowtap: " + std::to_string(gap_) +
           " bytes of stdout and stderr are missing here: " + std::string(in_words(cause)) + "]";
  take({gap_time_, output, true, gap_, text, false, cause}, true);
  gap_ = 0;
}

void EarlierLines::read(const Take& take, Form& form, Form::Piece& piece) {
  if (gap_ > 0) give_gap(take);
  if (history_) return read_history(take, form, piece);
  if (!lines_) return;
  const bool more = lines_->read(kSlice, [&](const CriLine& line) {
    if (number_of(line) > leave_out_ && !piece.end && is_asked_for(options_, line)) take(line, true);
  });
  if (!more) lines_.reset();
}

void EarlierLines::read_history(const Take& take, Form& form, Form::Piece& piece) {
  const bool more = history_->read(kSlice, [&](const flow::RuntimeLine& line) {
    const CriLine as_ours{line.time, line.output, line.full, {}, line.text};
    if (!piece.end && is_asked_for(options_, as_ours)) take(as_ours, false);
  });
  if (more) return;
  if (const std::string fault = history_->fault(); !fault.empty() && !piece.end)
    form.say("not all that the runtime has kept could be read: " + printable(fault), piece);
  if (flow_ && !options_.tail_lines && !options_.since && history_->is_empty())
    histories_->note_whole(*flow_, begin_);
  history_.reset();
}

}  // namespace flowtap
