#include "stream/repair/gaps/gap_finder.hpp"

#include <algorithm>
#include <utility>

#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/repair/runtime_files/gap_search.hpp"

namespace flowtap {
namespace {

constexpr std::array<std::string_view, kRefillResults> kRefillNames{"exact", "approximate", "unfilled",
                                                                    "no_source", "no_room"};
constexpr std::size_t kGapPart = std::size_t{256} << 10U;
// ns. A line that the runtime has dated this much earlier than a captured line was before it, whatever clocks and buffers do.
constexpr std::uint64_t kBefore = 10'000'000'000;
// ns. A gap of an output of which nothing was captured has the time when that was known, which is later than its bytes.
constexpr std::uint64_t kSilent = 100'000'000;

}  // namespace

std::string_view to_string(RefillResult result) {
  return kRefillNames.at(static_cast<std::size_t>(result));
}

GapFinder::GapFinder(const flow::FlowStore& store, const Histories& histories, const std::string& id,
                     GapsDecided& decided, const Options& options)
    : store_(store), histories_(histories), id_(id), decided_(decided), options_(options) {
  outputs_[0].name = "stdout";
  outputs_[1].name = "stderr";
  for (GappedOutput& output : outputs_)
    output.most_kept = std::min<std::size_t>(kMostKept, store.options().store_bytes / 2);
}

bool GapFinder::step() {
  switch (at_) {
    case At::kBegin:
      at_ = begin();
      break;
    case At::kLog:
      at_ = read_log();
      break;
    case At::kFiles:
      at_ = read_kept();
      break;
    case At::kSearch:
      at_ = search_next();
      break;
    case At::kEnd:
      break;
  }
  return at_ == At::kEnd;
}

void GapFinder::settle() {
  if (!is_settled_ || (round_.open > 0 && !options_.last)) return;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    decided_.before.at(i) = outputs_.at(i).waits_at.value_or(read_to_);
}

GapFinder::At GapFinder::begin() {
  flow_ = store_.find(id_);
  const auto summary = store_.summary(id_);
  ended_ = summary && !summary->open;  // asked before the log is read, so that it is read to its end
  place_ = histories_.find(id_);
  // The flow's name may not be final yet, and the runtime's file is found by the name.
  if (flow_ && !place_ && !options_.last && (id_.starts_with("pod/") || id_.starts_with("container/"))) {
    round_.open = 1;
    return At::kEnd;
  }
  const auto bounds = flow_ ? store_.bounds(*flow_) : std::nullopt;
  if (!bounds || bounds->missing == 0) return At::kEnd;
  terminal_ = bounds->terminal;
  from_start_ = bounds->from_start;
  read_to_ = bounds->end;
  edits_ = bounds->edits;
  move_decided(edits_);
  line_at_ = read_ = bounds->begin;
  return At::kLog;
}

// Filled gaps have moved what stands behind them. Another flow of that name begins anew.
void GapFinder::move_decided(std::size_t edits) {
  if (std::exchange(decided_.flow, flow_->number) != flow_->number) decided_ = {flow_->number, edits, {}};
  std::uint64_t ignored = 0;
  const std::array positions{decided_.before.data(), decided_.before.data() + 1};
  decided_.edits = store_.move(*flow_, decided_.edits, positions, ignored);
}

GapFinder::At GapFinder::read_log() {
  if (read_ >= read_to_) return outputs_[0].first || outputs_[1].first ? open_kept() : At::kEnd;
  const auto part = store_.read(*flow_, read_, std::min<std::size_t>(kGapPart, read_to_ - read_));
  if (!part || part->gone || part->text.empty() || part->from != read_ || part->edits != edits_) {
    round_.open = 1;  // the log has changed meanwhile
    return At::kEnd;
  }
  rest_ += part->text;
  read_ = part->next;
  std::size_t begin = 0;
  for (std::size_t newline = 0; (newline = rest_.find('\n', begin)) != std::string::npos;
       begin = newline + 1) {
    const auto size = newline + 1 - begin;
    take(std::string_view(rest_).substr(begin, size), line_at_);
    line_at_ += size;
  }
  rest_.erase(0, begin);
  return At::kLog;
}

void GapFinder::take(std::string_view text, flow::LogPosition at) {
  const auto line = flow::parse_cri_line(text.substr(0, text.size() - 1));
  if (!line) return;
  const std::size_t index = flow::output_index(line->output);
  GappedOutput& output = outputs_.at(index);
  if (line->missing)
    output.take_gap(*line, {at, std::string(text), line->time, at >= decided_.before.at(index), line->cause});
  else
    output.take(*line);
  if (!place_ && output.captured.size() > kGapPart)
    output.forget_text();  // its gaps are all that is told of it
}

GapFinder::At GapFinder::open_kept() {
  auto files = place_ ? open_files(*place_) : std::unexpected(Error{});
  if (!files) return no_source();
  format_ = runtime_format(*place_);
  lacks_lines_ = !files->unreadable.empty();
  reader_.emplace(std::move(files->files), format_, terminal_);
  reader_->keep_to(files->run);
  const std::uint64_t first =
      std::min(outputs_[0].first.value_or(~std::uint64_t{0}), outputs_[1].first.value_or(~std::uint64_t{0}));
  const std::uint64_t since = first - std::min(first, kBefore);
  if (const auto oldest = reader_->oldest(); oldest && *oldest < since)
    for (GappedOutput& output : outputs_) output.leaves_out = true;
  reader_->start_at_time(since);
  return At::kFiles;
}

GapFinder::At GapFinder::no_source() {
  for (const GappedOutput& output : outputs_)
    for (std::size_t i = 0; i < output.gaps.size(); ++i)
      if (output.gaps[i].wanted) round_.decide(RefillResult::kNoSource, output.places[i].length);
  is_settled_ = true;
  return At::kEnd;
}

GapFinder::At GapFinder::read_kept() {
  const bool more = reader_->read(kGapPart, [this](const flow::RuntimeLine& line) { take_kept(line); });
  if (more && !std::ranges::all_of(outputs_, &GappedOutput::is_full)) return At::kFiles;
  const flow::RuntimeFileFaults faults = reader_->faults();
  lacks_lines_ = lacks_lines_ || faults.skipped > 0 || faults.broken > 0;
  reader_.reset();
  return At::kSearch;
}

void GapFinder::take_kept(const flow::RuntimeLine& line) {
  GappedOutput& output = outputs_.at(flow::output_index(line.output));
  // One output may have to be searched from much earlier than the other.
  if (output.is_full()) return;
  if (line.time + kBefore < *output.first) {
    output.leaves_out = true;
    return;
  }
  if (output.reads.empty() || output.reads.back().time != line.time)
    output.reads.push_back({output.kept.size(), line.time});
  flow::append_bytes(output.kept, line);
}

GapFinder::At GapFinder::search_next() {
  search(outputs_.at(searched_));
  if (++searched_ < outputs_.size()) return At::kSearch;
  std::ranges::sort(fills_, {}, &flow::GapFill::at);
  is_settled_ = true;
  return At::kEnd;
}

// Nothing in what the runtime has kept of this output is older than the flow.
bool GapFinder::is_from_start(const GappedOutput& output) const {
  if (!from_start_ || output.leaves_out) return false;
  const bool is_silent = !output.begins && !output.gaps.empty() && !output.reads.empty();
  return !is_silent || output.reads.front().time + kSilent >= output.gaps.front().time;
}

// What was captured first is not in a line that the runtime has dated earlier.
std::uint64_t GapFinder::earliest_of(const GappedOutput& output) const {
  const std::uint64_t slack = terminal_ ? flow::Seam::kTerminalSlack : flow::Seam::kSlack;
  const std::uint64_t begins = output.begins.value_or(0);
  return begins - std::min(begins, slack);
}

void GapFinder::search(GappedOutput& output) {
  const auto found = flow::find_gaps({.captured = output.captured,
                                      .gaps = output.places,
                                      .text = output.kept,
                                      .format = format_,
                                      .ended = ended_,
                                      .from_start = is_from_start(output),
                                      .earliest = output.kept_since(earliest_of(output)),
                                      .drops_returns = terminal_,
                                      .lacks_lines = lacks_lines_});
  for (std::size_t i = 0; i < found.size(); ++i) {
    const LoggedGap& gap = output.gaps[i];
    const std::uint64_t missing = output.places[i].length;
    if (!gap.wanted) continue;
    // For a gap at the flow's end, the runtime may not have got that far.
    const bool may_come = output.places[i].at == output.captured.size();
    if (may_come && !ended_) {
      if (!output.waits_at) output.waits_at = gap.at;
      continue;
    }
    if (!found[i] || found[i]->bytes.empty() || (found[i]->approximate && may_come && !options_.last)) {
      if (options_.last)
        round_.decide(RefillResult::kUnfilled, missing);
      else
        round_.open += missing;
      continue;
    }
    const std::uint64_t bytes = std::min<std::uint64_t>(found[i]->bytes.size(), missing);
    (found[i]->approximate ? approximate_ : exact_) += bytes;
    if (bytes < missing) round_.decide(RefillResult::kUnfilled, missing - bytes);
    fills_.push_back(output.fill(gap, *found[i], missing, clock_));
  }
}

}  // namespace flowtap
