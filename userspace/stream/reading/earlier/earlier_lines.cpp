#include "stream/reading/earlier/earlier_lines.hpp"

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

using flow::CriLine;

// ns. It has lost its beginning for sure.
constexpr std::uint64_t kLaterBeginning = 1'000'000'000;

}  // namespace

Status EarlierLines::find(ReadingSpan& span, std::uint64_t silent) {
  silent_ = silent;
  if (flow_) standing_ = store_.standing(*flow_);
  if (options_.tail_lines && has_enough(span, standing_)) return {};
  FTAP_TRY_ASSIGN(wanted, open_history(span, silent));
  if (!wanted) return {};
  const bool has_made_room = standing_ && standing_->bounds.made_room > 0;
  if (history_) oldest_ = history_->oldest();
  if (origin_.journal != nullptr && (!flow_ || has_made_room))
    in_journal_.emplace(store_, flow_, id_, options_, *origin_.journal, standing_);
  chooses_ = true;
  if (flow_) return {};
  if (const auto chosen = choose(span); !chosen) return std::unexpected(chosen.error());
  return {};
}

// False: call it again. Of a flow that the store does not have, it is known at once.
Result<bool> EarlierLines::choose(ReadingSpan& span) {
  if (in_journal_) {
    const auto is_better = is_journal_better();
    if (!is_better) return false;
    if (*is_better) {
      chooses_ = false;
      history_.reset();
      const auto first = in_journal_->reach().first;
      if (standing_ && reads_all() && !(oldest_ && first && *oldest_ < *first)) {
        gap_time_ = first.value_or(0);
        miss_before(standing_->bounds);
      }
      in_journal_->begin(standing_, span);
      reads_journal_ = true;
      is_missing_known_ = in_journal_->is_missing_known() && !is_before_unknown_;
      return true;
    }
    ends_ = in_journal_->reach().ends;
    in_journal_.reset();
  }
  chooses_ = false;
  if (standing_) FTAP_TRY(miss_beginning(standing_->bounds, span));
  start_history(span);
  return true;
}

// The store has as many lines as are wanted. If it has no more, its first one may be the rest of a line that begins earlier.
bool EarlierLines::has_enough(const ReadingSpan& span,
                              const std::optional<flow::FlowStore::Standing>& standing) const {
  if (*options_.tail_lines > span.tail) return false;
  const bool may_be_cut = options_.whole_lines && span.tail > 0 && span.at == span.begin && standing &&
                          !standing->bounds.from_start;
  return !may_be_cut;
}

// Opens the runtime's files if lines that are asked for may be in them. False: no earlier lines are asked for.
Result<bool> EarlierLines::open_history(const ReadingSpan& span, std::uint64_t silent) {
  for (flow::SeamKey& key : keys_) key.time = kNoTime;
  begin_ = span.begin;
  if (flow_) {
    if (histories_ != nullptr && histories_->is_whole(*flow_, span.begin)) return true;
    FTAP_TRY_ASSIGN(begun, seam_keys(store_, *flow_, span.begin, span.to, silent));
    keys_ = std::move(begun);
    const bool has_none = keys_[0].bytes.empty() && keys_[1].bytes.empty();
    const std::uint64_t first = std::min(keys_[0].time, keys_[1].time);
    // Parts of a line have the same time.
    if (options_.since && !has_none && ns_of(*options_.since) > first) return false;
  }
  if (histories_ == nullptr) return true;
  auto history = histories_->open_log(id_, keys_);
  if (history) history_ = std::move(*history);  // else the runtime has no file, or it has just gone
  return true;
}

// Nothing: call it again.
std::optional<bool> EarlierLines::is_journal_better() {
  const JournalLines::Reach& reach = in_journal_->reach();
  const std::uint64_t stored = standing_ ? standing_->bounds.bytes - standing_->bounds.made_room : 0;
  if (!reach.first || reach.bytes <= stored) return false;
  if (!oldest_) return true;
  if (reach.is_without_gaps()) return *oldest_ >= *reach.first;
  // If something is missing, the runtime has it. If its file clearly begins later, that file lacks something as well, and is told to
  // do so only beside the store.
  if (*oldest_ <= *reach.first + kLaterBeginning) return false;
  return flow_ ? in_journal_->has_more_before(*oldest_) : true;
}

void EarlierLines::start_history(const ReadingSpan& span) {
  if (!history_) return;
  if (options_.tail_lines)
    history_->start_at_last(*options_.tail_lines - span.tail, span.tail, options_.whole_lines);
  else if (options_.since)
    history_->start_at_time(ns_of(*options_.since));
}

Result<bool> EarlierLines::step(ReadingSpan& span) {
  if (chooses_) {
    FTAP_TRY_ASSIGN(is_chosen, choose(span));
    if (!is_chosen) return false;
  }
  if (in_journal_) {
    FTAP_TRY_ASSIGN(is_known, in_journal_->step(span));
    if (!is_known) return false;
  }
  if (history_ && !step_history(span)) return false;
  if (counted_ && !count_history()) return false;
  span.missing += std::exchange(gap_told_, true) ? 0 : gap_;
  return true;
}

// The last lines are looked for from the end, so it comes out only then whether the beginning is among them.
bool EarlierLines::step_history(ReadingSpan& span) {
  if (history_->is_found()) return true;
  (void)history_->read(kHistorySlice, [](const flow::RuntimeLine&) {});
  if (!history_->is_found()) return false;
  if (!history_->are_fewer()) {
    gap_ = 0;
    counted_.reset();
  }
  if (options_.whole_lines) span.within = history_->left_out_at_seam();
  return true;
}

Status EarlierLines::read(const TakeLine& take, Form& form, Form::Piece& piece, ReadingSpan& span) {
  if (seam_) {
    if (seam_->step(*counted_, kHistorySlice)) go_on_in_journal();
    return {};
  }
  if (counted_ && !count_history()) return {};
  if (gap_ > 0 || is_before_unknown_) give_gap(take);
  if (history_)
    read_history(take, form, piece, span);
  else if (reads_journal_)
    return read_journal(take, piece, span);
  return {};
}

Status EarlierLines::read_journal(const TakeLine& take, Form::Piece& piece, ReadingSpan& span) {
  if (const auto lost = in_journal_->take_lost(); lost.bytes > 0) {
    gap_ = lost.bytes;
    gap_time_ = lost.time;
    give_gap(take);
  }
  FTAP_TRY_ASSIGN(more, in_journal_->read(take, piece, span));
  if (more) return {};
  read_to_ = in_journal_->read_to();
  reads_journal_ = false;
  return {};
}

bool EarlierLines::go_on_behind(const OfOutputs& bytes) {
  if (!in_journal_) return false;
  in_journal_->go_on_behind(bytes);
  reads_journal_ = true;
  return true;
}

void EarlierLines::read_history(const TakeLine& take, Form& form, Form::Piece& piece, ReadingSpan& span) {
  const bool more = history_->read(kHistorySlice, [&](const flow::RuntimeLine& line) {
    const CriLine as_ours{line.time, line.output, line.full, {}, line.text};
    note_read(as_ours);
    if (!piece.end && is_asked_for(options_, as_ours)) take(as_ours, false);
  });
  if (more) return;
  span.has_gap = covers_gap(*history_);
  // It ends before the store begins, or before an empty one ends.
  const bool is_empty = keys_[0].bytes.empty() && keys_[1].bytes.empty();
  const auto ends_early = [&](std::size_t output) {
    return !span.has_gap.at(output) && (is_empty || !keys_.at(output).bytes.empty());
  };
  if (ends_early(0) || ends_early(1) || first_gaps(*history_) > 0) miss_end();
  if (const std::string fault = history_->fault(); !fault.empty() && !piece.end)
    form.say("not all that the runtime has kept could be read: " + printable(fault), piece);
  if (flow_ && !options_.tail_lines && !options_.since && history_->is_empty())
    histories_->note_whole(*flow_, begin_);
  history_.reset();
}

}  // namespace flowtap
