// The half of the earlier lines that finds out how many bytes nobody has any more, and tells them as a gap.
#include <algorithm>
#include <utility>

#include "base/wall_clock.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/reading/earlier/earlier_lines.hpp"

namespace flowtap {
namespace {

using flow::CriLine;

// ns. A runtime's file that begins this much later than the flow has lost its beginning, unless its bytes say otherwise.
constexpr std::uint64_t kSameBeginning = 100'000'000;

}  // namespace

// A gap has the time of what stands behind it, like every other one: if that is asked for, some of the gap may be.
Status EarlierLines::miss_beginning(const flow::FlowStore::Bounds& bounds, const ReadingSpan& span) {
  using State = flow::Before::State;
  const bool has_first_gap = history_ && keys_[0].missing_before + keys_[1].missing_before > 0;
  if (bounds.made_room == 0 && bounds.before.state == State::kNone && !has_first_gap) return {};
  if (std::min(keys_[0].time, keys_[1].time) == kNoTime) {
    FTAP_TRY_ASSIGN(begun, seam_keys(store_, *flow_, span.begin, span.to, silent_));
    keys_ = std::move(begun);
  }
  gap_time_ = oldest_.value_or(std::min(keys_[0].time, keys_[1].time));
  if (options_.tail_lines && *options_.tail_lines <= span.tail) return {};
  const bool is_too_early = options_.since && ns_of(*options_.since) >= gap_time_;
  const std::uint64_t early = bounds.terminal ? flow::Seam::kTerminalSlack : kSameBeginning;
  captured_from_ = bounds.first - std::min(bounds.first, early);
  if (bounds.before.state == State::kUncounted && bounds.made_room == 0) {
    if (!is_too_early) miss_before(bounds);
    return {};
  }
  const bool has_all_before =
      bounds.before.state != State::kCounted || (oldest_ && histories_->oldest(*flow_) == oldest_);
  if (has_all_before && bounds.made_room == 0 && !has_first_gap) return {};
  counts_before_ = bounds.before.state == State::kCounted && (!has_all_before || bounds.made_room == 0);
  counts_all_ = counts_before_ || bounds.made_room == 0;
  tells_first_gaps_ = true;
  if (!counts_before_ && oldest_ && *oldest_ <= bounds.first + kSameBeginning) {
    const auto returns = origin_.drops_returns ? bounds.made_room_returns : 0;
    if (returns) wanted_ = bounds.made_room - std::min(bounds.made_room, *returns);
    misses_at_end_ = returns.has_value();
    tells_first_gaps_ = misses_at_end_ && reads_all();
    return {};
  }
  if (is_too_early) return {};
  gap_ = bounds.made_room + (counts_before_ ? bounds.before.bytes : 0);
  if (counts_before_ || bounds.made_room == 0)
    gap_cause_ =
        bounds.made_room == 0 && !has_first_gap ? flow::MissingCause::kBefore : flow::MissingCause::kUnknown;
  if (!history_) {
    if (!counts_before_) miss_before(bounds);
    return {};
  }
  if (auto again = histories_->open_log(id_, keys_)) counted_ = std::move(*again);
  if (!origin_.drops_returns) return {};
  knows_returns_ = bounds.made_room_returns.has_value();
  gap_ -= std::min(gap_, bounds.made_room_returns.value_or(0));
  return {};
}

// What was written before the capture, if the runtime has nothing of it any more.
void EarlierLines::miss_before(const flow::FlowStore::Bounds& bounds) {
  if (history_) return;
  if (bounds.before.state == flow::Before::State::kUncounted) {
    is_before_unknown_ = true;
    is_missing_known_ = false;
  } else if (bounds.before.bytes > 0) {
    gap_ = bounds.before.bytes;
    gap_cause_ = flow::MissingCause::kBefore;
  }
}

// Which outputs' gaps where the store begins are not shown, since the history has what can be had of their bytes, stdout first.
std::array<bool, 2> EarlierLines::covers_gap(const History& history) const {
  std::array<bool, 2> covers = history.reaches_seam();
  for (std::size_t output = 0; output < keys_.size(); ++output) {
    const flow::SeamKey& key = keys_.at(output);
    // There is nothing but gaps of this output.
    if (tells_first_gaps_ && key.bytes.empty() && key.missing_before > 0) covers.at(output) = true;
  }
  return covers;
}

// Of the bytes that the history has, these are in gaps where the store begins, and are not among those that made room.
std::uint64_t EarlierLines::first_gaps(const History& history) const {
  const auto covers = covers_gap(history);
  std::uint64_t bytes = 0;
  for (std::size_t output = 0; output < keys_.size(); ++output)
    if (tells_first_gaps_ && covers.at(output)) bytes += keys_.at(output).missing_before;
  return bytes;
}

// What the runtime has kept may be more bytes than were captured. So the gap is said as what it may be at most.
void EarlierLines::miss(std::uint64_t all, std::uint64_t had) {
  const std::uint64_t least = had - std::min(had, replaced_ * History::kReplacedAdds);
  gap_ = all - std::min(all, least);
  gap_at_most_ = gap_ > all - std::min(all, had);
}

bool EarlierLines::count_history() {
  if (counted_bytes_ == 0) replaced_ = 0;
  if (counted_->read(kHistorySlice, [this](const flow::RuntimeLine& line) {
        if (line.time < captured_from_ && !counts_all_) return;
        counted_bytes_ += line.text.size() + (line.full ? 1 : 0);
        counted_ends_ += line.full ? 1 : 0;
        if (counted_->replaces()) replaced_ += History::replaced_in(line.text);
      }))
    return false;
  const auto counted = std::exchange(counted_, nullptr);
  const std::uint64_t gaps = first_gaps(*counted);
  miss(gap_ + gaps, counted_bytes_);
  if (gap_ == 0 && counts_before_ && oldest_ && counted->fault().empty())
    histories_->note_oldest(*flow_, *oldest_);
  // They were captured by nobody, so nobody knows how many "\r" they have.
  knows_returns_ = knows_returns_ && (gaps == 0 || !origin_.drops_returns);
  const auto has_returns = [](const flow::SeamKey& key) { return key.bytes.contains("\r\n"); };
  // Perhaps nothing but "\r" is missing.
  if (!knows_returns_ && gap_ <= counted_ends_ && std::ranges::any_of(keys_, has_returns)) gap_ = 0;
  return true;
}

void EarlierLines::give_gap(const TakeLine& take) {
  const std::string_view output = options_.outputs == api::Outputs::kStderr ? "stderr" : "stdout";
  const auto give = [&](std::uint64_t bytes, flow::MissingCause cause, const flow::GapWords& words) {
    const std::string text = flow::gap_text(bytes, cause, words);
    take({gap_time_, output, true, bytes, text, false, cause}, true);
  };
  if (std::exchange(is_before_unknown_, false)) give(0, flow::MissingCause::kBefore, {});
  if (gap_ > 0)
    give(gap_, gap_cause_, {.at_most = gap_at_most_, .of_both = options_.outputs != api::Outputs::kBoth});
  gap_ = 0;
  gap_at_most_ = false;
  gap_cause_ = flow::MissingCause::kMadeRoom;
}

// Whoever has not read all of the history does not know how much of what was captured it has.
void EarlierLines::miss_end() {
  gap_time_ = std::min(keys_[0].time, keys_[1].time);
  if (reads_all()) {
    const auto had = [this](const HistoryRead& read) { return counts_all_ ? read.bytes : read.captured; };
    if (wanted_ == 0) gap_cause_ = flow::MissingCause::kUnknown;
    miss(wanted_ + (misses_at_end_ ? first_gaps(*history_) : 0), had(read_[0]) + had(read_[1]));
    wanted_ = std::exchange(gap_, 0);
  }
  if (wanted_ > 0 && reads_all() && look_for_seam()) return;
  if (wanted_ > 0 && !reads_all()) {
    auto again = histories_->open_log(id_, keys_);
    if (!again) return;
    counted_ = std::move(*again);
  }
  gap_ = std::exchange(wanted_, 0);
}

void EarlierLines::note_read(const CriLine& line) {
  HistoryRead& read = read_.at(flow::output_index(line.output));
  read.bytes += line.bytes();
  if (line.time >= captured_from_) read.captured += line.bytes();
  read.last = line.time;
  read.replaced = read.replaced || History::replaced_in(line.text) > 0;
  if (history_->replaces() && line.time >= captured_from_) replaced_ += History::replaced_in(line.text);
}

// The journal may have what the runtime has not written any more. True: it is being found out from where on.
bool EarlierLines::look_for_seam() {
  const auto standing = store_.standing(*flow_);
  if (origin_.journal == nullptr || !standing) return false;
  // The runtime's file has none of these "\r", so its bytes would not be as many as the captured ones.
  if (origin_.drops_returns && standing->bounds.made_room_returns != 0) return false;
  seam_ = JournalSeam::find(*origin_.journal, id_, *standing);
  if (!seam_) return false;
  auto again = histories_->open_log(id_, seam_->keys());
  if (again)
    counted_ = std::move(*again);
  else
    seam_.reset();
  return seam_.has_value();
}

void EarlierLines::go_on_in_journal() {
  const auto reached = seam_->reached(read_);
  seam_.reset();
  counted_.reset();
  if (!reached) {
    gap_ = std::exchange(wanted_, 0);
    return;
  }
  in_journal_.emplace(store_, flow_, id_, options_, *origin_.journal, store_.standing(*flow_));
  // The store may have made room for lines that are newer than those that are asked for.
  if (ends_ && !options_.follow) in_journal_->end_at(*ends_);
  in_journal_->go_on_behind(*reached);
  reads_journal_ = true;
}

}  // namespace flowtap
