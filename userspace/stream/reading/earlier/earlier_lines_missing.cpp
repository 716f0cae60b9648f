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
  if (std::min(keys_[0].time, keys_[1].time) == kNoTime) {
    FTAP_TRY_ASSIGN(begun, seam_keys(store_, *flow_, span.begin, span.to, silent_));
    keys_ = std::move(begun);
  }
  gap_time_ = oldest_.value_or(std::min(keys_[0].time, keys_[1].time));
  if (options_.tail_lines && *options_.tail_lines <= span.tail) return {};
  const std::uint64_t early = bounds.terminal ? flow::Seam::kTerminalSlack : kSameBeginning;
  captured_from_ = bounds.first - std::min(bounds.first, early);
  if (history_ && oldest_ && *oldest_ <= bounds.first + kSameBeginning) {
    const auto returns = origin_.drops_returns ? bounds.made_room_returns : 0;
    if (returns) wanted_ = bounds.made_room - std::min(bounds.made_room, *returns);
    return {};
  }
  if (options_.since && ns_of(*options_.since) > gap_time_) return {};
  gap_ = bounds.made_room;
  if (!history_) return {};
  if (auto again = histories_->open_log(id_, keys_)) counted_ = std::move(*again);
  if (!origin_.drops_returns) return {};
  knows_returns_ = bounds.made_room_returns.has_value();
  gap_ -= std::min(gap_, bounds.made_room_returns.value_or(0));
  return {};
}

// Of the bytes that the history has, these are in gaps where the store begins, and are not among those that made room.
std::uint64_t EarlierLines::first_gaps(const History& history) const {
  const auto reaches = history.reaches_seam();
  std::uint64_t bytes = 0;
  for (std::size_t output = 0; output < keys_.size(); ++output)
    if (reaches.at(output)) bytes += keys_.at(output).missing_before;
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
        if (line.time < captured_from_) return;
        counted_bytes_ += line.text.size() + (line.full ? 1 : 0);
        counted_ends_ += line.full ? 1 : 0;
        if (counted_->replaces()) replaced_ += History::replaced_in(line.text);
      }))
    return false;
  const std::uint64_t gaps = first_gaps(*std::exchange(counted_, nullptr));
  miss(gap_ + gaps, counted_bytes_);
  // They were captured by nobody, so nobody knows how many "\r" they have.
  knows_returns_ = knows_returns_ && (gaps == 0 || !origin_.drops_returns);
  const auto has_returns = [](const flow::SeamKey& key) { return key.bytes.contains("\r\n"); };
  // Perhaps nothing but "\r" is missing.
  if (!knows_returns_ && gap_ <= counted_ends_ && std::ranges::any_of(keys_, has_returns)) gap_ = 0;
  return true;
}

void EarlierLines::give_gap(const TakeLine& take) {
  const std::string_view output = options_.outputs == api::Outputs::kStderr ? "stderr" : "stdout";
  const auto cause = flow::MissingCause::kMadeRoom;
  const std::string text =
      flow::gap_text(gap_, cause, {gap_at_most_, options_.outputs != api::Outputs::kBoth});
  take({gap_time_, output, true, gap_, text, false, cause}, true);
  gap_ = 0;
  gap_at_most_ = false;
}

// Whoever has not read all of the history does not know how much of what was captured it has.
void EarlierLines::miss_end() {
  gap_time_ = std::min(keys_[0].time, keys_[1].time);
  if (reads_all()) {
    const std::uint64_t had = read_[0].captured + read_[1].captured;
    miss(wanted_ + first_gaps(*history_), had);
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
