#include "stream/reading/earlier/journal_part.hpp"

#include <algorithm>
#include <ranges>

#include "base/wall_clock.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap {
namespace {

using flow::CriLine;

// How many bytes are read before others have their turn.
constexpr std::size_t kJournalSlice = std::size_t{64} << 10U;
// The lines are counted anew if the journal makes room just then, which happens once in some MiB.
constexpr int kMostCounts = 4;

}  // namespace

JournalPart::JournalPart(const flow::FlowStore& store, const flow::FlowStore::Ref& flow,
                         const std::string& id, const api::LogReadOptions& options,
                         const flow::Journal& journal,
                         const std::optional<flow::FlowStore::Standing>& standing)
    : store_(store),
      flow_(flow),
      id_(id),
      options_(options),
      journal_(journal),
      lines_(journal, id, standing ? std::optional(standing->streams) : std::nullopt, store.gap_cause(id)),
      numbers_(options.whole_lines) {}

// What it lacks in all is known, so nothing is read behind that time, and no more than decides it.
std::optional<bool> JournalPart::has_more_before(std::uint64_t time) {
  if (!weighing_) weighing_.emplace(Weighing{.lines = lines_});
  Weighing& now = *weighing_;
  const auto look = [&now, time](const CriLine& line) {
    now.is_later = now.is_later || line.time >= time;
    if (!now.is_later) (line.missing ? now.lacks : now.has) += line.bytes();
  };
  const bool more = now.lines.read(kJournalSlice, look);
  if (more && !now.is_later && now.has < reach().missing) return std::nullopt;
  const bool has_more = now.has >= reach().missing - std::min(now.lacks, reach().missing);
  weighing_.reset();
  return has_more;
}

void JournalPart::begin(const std::optional<flow::FlowStore::Standing>& standing, ReadingSpan& span) {
  counts_ = options_.tail_lines || !reach().is_without_gaps();
  is_missing_known_ = counts_ || (!options_.since && options_.outputs == api::Outputs::kBoth);
  if (standing)
    stored_.emplace(store_, flow_, options_);
  else if (!counts_)
    span.missing = lines_.given_up();
}

Result<bool> JournalPart::step(ReadingSpan& span) {
  if (stored_) {
    FTAP_TRY_ASSIGN(done, stored_->step());
    if (!done) return false;
    take_stored(span);
    end_where_stored();
    if (!counts_) span.missing += lines_.given_up() + lost_;
  }
  return !counts_ || count(span);
}

// The log may have made room since the span was found.
void JournalPart::take_stored(ReadingSpan& span) {
  const flow::FlowStore::Bounds& bounds = stored_->standing().bounds;
  span = {.begin = bounds.begin,
          .at = bounds.begin,
          .to = bounds.end,
          .lines = bounds.lines_before,
          .lines_to = bounds.lines,
          .tail = stored_->lines(),
          .within = {},
          .has_gap = {},
          .missing = stored_->missing(),
          .edits = bounds.edits};
  lines_ = JournalLines(journal_, id_, stored_->standing().streams, store_.gap_cause(id_));
  if (!options_.follow) to_ = reach().ends;
}

// What stands before the store's beginning is what its streams have passed, without what it has of them.
void JournalPart::end_where_stored() {
  const flow::FlowStore::Standing& standing = stored_->standing();
  const JournalLines::Offsets next = lines_.next();
  const std::uint64_t passed = lines_.passed();
  lines_ = JournalLines(journal_, id_, standing.streams, store_.gap_cause(id_));
  lines_.go_to(next);
  forgotten_ += passed - std::min(passed, lines_.passed());
  OfOutputs before = reach().ends;
  OfOutputs ends{};
  std::uint64_t stored = 0;
  for (std::size_t output = 0; output < ends.size(); ++output) {
    const std::uint64_t bytes = stored_->bytes().at(output);
    before.at(output) -= std::min(before.at(output), bytes);
    ends.at(output) = std::min(before.at(output), to_.at(output));
    goes_on_.at(output) = stored_->begins_with_line(output);
    stored += bytes;
  }
  lines_.end_at(ends);
  // If the journal has forgotten a stream, its bytes are lost unless the store has them.
  const std::uint64_t known = stored + forgotten_ + before[0] + before[1] + all_lost_;
  const std::uint64_t lost = standing.bounds.bytes - std::min(standing.bounds.bytes, known);
  all_lost_ += lost;
  const bool is_wanted = !options_.since || reach().first.value_or(0) >= ns_of(*options_.since);
  if (is_wanted) lost_ += lost;
  upto_ = {standing.bounds.begin, standing.bounds.lines_before};
  stored_.reset();
}

JournalPart::Lost JournalPart::take_lost() {
  return {std::exchange(lost_, 0), reach().first.value_or(0)};
}

// What is read from the first of the last lines on is known only when all lines are counted.
bool JournalPart::count(ReadingSpan& span) {
  if (!search_) {
    if (!count_lines()) return false;
    search_.emplace(StartSearch{.leave_out = lines_to_leave_out(span)});
    lines_.go_to(search_->leave_out == 0 ? JournalLines::Offsets() : marks_.front().next);
    if (search_->leave_out > 0) numbers_ = marks_.front().numbers;
  }
  if (search_->leave_out > 0 && !find_start(span)) return false;
  counts_ = false;
  span.missing += lost_;
  for (const auto& [lines, bytes] : gaps_) span.missing += lines >= search_->leave_out ? bytes : 0;
  search_.reset();
  gaps_ = {};
  marks_.clear();
  return true;
}

// The last lines are counted from the first one on, since the journal is read forward only. Places from which on they may begin are
// noted meanwhile. False: there are more.
bool JournalPart::count_lines() {
  if (options_.tail_lines) {
    marks_.push_back({lines_.next(), lines_.oldest(), numbers_});
    while (marks_.size() > 1 && marks_[1].numbers.last() + *options_.tail_lines <= numbers_.last())
      marks_.pop_front();
  }
  return !lines_.read(kJournalSlice, [this](const CriLine& line) {
    if (line.missing && is_asked_for(options_, line)) gaps_.emplace_back(numbers_.last(), *line.missing);
    (void)number_of(line);
  });
}

std::uint64_t JournalPart::lines_to_leave_out(const ReadingSpan& span) {
  if (!options_.tail_lines) return 0;
  const std::uint64_t all = numbers_.last() + span.tail - joined();
  if (all >= *options_.tail_lines) lost_ = 0;
  return all - std::min(all, *options_.tail_lines);
}

// Lines that are as people see them and go on in the store, where the rest of each was taken for a line.
std::uint64_t JournalPart::joined() const {
  if (!options_.whole_lines || !upto_) return 0;
  std::uint64_t lines = 0;
  for (std::size_t output = 0; output < goes_on_.size(); ++output)
    lines += goes_on_.at(output) && numbers_.amid().at(output) ? 1 : 0;
  return lines;
}

// From here on the lines are known by where they stand, so that none is left out if the journal makes room before they are read.
// False: there is more to look through, or to count again, as the journal has just done so.
bool JournalPart::find_start(ReadingSpan& span) {
  StartSearch& search = *search_;
  const auto look = [&](const CriLine& line) {
    if (search.at) return;
    search.amid = numbers_.amid();
    if (number_of(line) > search.leave_out) search.at = lines_.next();
  };
  if (lines_.read(kJournalSlice, look) && !search.at) return false;
  if (!has_from(marks_.front()) && counts_made_ < kMostCounts) {
    count_again();
    return false;
  }
  if (!search.at) {
    search.at = lines_.next();
    search.amid = numbers_.amid();
  }
  lines_.go_to(*search.at);
  if (options_.whole_lines) span.within = search.amid;
  return true;
}

// What was read from the mark on is what was read there before.
bool JournalPart::has_from(const Mark& mark) const {
  return std::ranges::all_of(lines_.oldest(), [&mark](const auto& now) {
    const auto at = [&now](const JournalLines::Offsets& offsets) {
      const auto found = offsets.find(now.first);
      return found == offsets.end() ? 0 : found->second;
    };
    return now.second <= std::max(at(mark.next), at(mark.oldest));
  });
}

void JournalPart::count_again() {
  ++counts_made_;
  search_.reset();
  marks_.clear();
  gaps_.clear();
  numbers_ = flow::LineNumbers(options_.whole_lines);
  lines_.go_to({});
}

Result<bool> JournalPart::read(const TakeLine& take, Form::Piece& piece, ReadingSpan& span) {
  if (stored_) {
    const auto done = stored_->step();
    if (done && *done) end_where_stored();
    if (done) return true;
    if (!options_.follow) return std::unexpected(done.error());
    stored_.reset();  // a follower goes on with the flow that comes in its place
    return false;
  }
  if (lines_.read(kJournalSlice, [&](const CriLine& line) { give(line, take, piece, span); })) return true;
  if (!upto_ || (!options_.follow && upto_->at >= span.to)) return false;
  // It may have made room meanwhile, and the journal may have these lines.
  const auto now = store_.bounds(*flow_);
  if (!now || now->begin <= upto_->at) return false;
  stored_.emplace(store_, flow_, options_);
  return true;
}

void JournalPart::give(const CriLine& line, const TakeLine& take, Form::Piece& piece, ReadingSpan& span) {
  CriLine rest = line;
  std::string gap;
  if (std::uint64_t& skip = skip_.at(flow::output_index(line.output)); skip > 0) {
    const std::uint64_t skipped = std::min(skip, line.bytes());
    skip -= skipped;
    if (skipped == line.bytes()) return;
    if (rest.missing) {
      *rest.missing -= skipped;
      rest.text = gap = flow::gap_text(*rest.missing, rest.cause);
    } else {
      rest.text.remove_prefix(skipped);
    }
  }
  if (!span.leaves_out(rest) && !piece.end && is_asked_for(options_, rest)) take(rest, true);
}

void JournalPart::go_on_behind(const OfOutputs& bytes) {
  skip_ = bytes;
  stored_.emplace(store_, flow_, options_);
}

}  // namespace flowtap
