// The part of schedulers' streams that goes to the flows of pods and to the main log: records, and gaps where some are missing.
#include <algorithm>
#include <ranges>
#include <vector>

#include "stream/store/pipeline.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

// Gaps within this time are one gap to the flows around them.
constexpr auto kGapsAreOne = 1s;
// ns. A flow may lack a record that was lost at most this long after its last one, or before its first.
constexpr std::uint64_t kAround = 10'000'000'000;

}  // namespace

// Finds out whether the stream is a scheduler's by the name that it has now. True: it is, and was not before.
bool Pipeline::know_scheduler(Stream& stream) {
  const bool is_schedulers = schedulers_.is_scheduler && schedulers_.is_scheduler(stream.flow->log.id());
  if (is_schedulers == (stream.records != nullptr)) return false;
  stream.records = is_schedulers ? std::make_unique<SchedulerLines>(schedulers_.keys) : nullptr;
  stream.gaps = {};
  return is_schedulers;
}

// A name is corrected within moments, so the flow has all that was written before. If its log cannot be read, nothing is taken;
// if the log has made room, what is left is taken.
void Pipeline::take_earlier_records(Stream& stream, FlowStore::Writing& writing) {
  const auto text = stream.flow->log.text();
  const auto position = stream.flow->log.position_of(stream.number);
  if (!text || !position) return;
  // Others may have written to the same output before this stream, so its lines are counted back from the log's end.
  std::vector<CriLine> lines;
  std::uint64_t begin = *position;
  for (std::string_view rest = *text; !rest.empty() && begin > 0;) {
    rest.remove_suffix(1);  // a newline
    const std::size_t at = rest.rfind('\n') + 1;
    const auto line = parse_cri_line(rest.substr(at));
    rest = rest.substr(0, at);
    if (!line || line->output != stream.output) continue;
    const std::uint64_t size = line->missing.value_or(line->text.size() + (line->full ? 1 : 0));
    if (size > begin) break;
    begin -= size;
    lines.push_back(*line);
  }
  const std::uint64_t now = stream.time;
  for (const CriLine& line : std::views::reverse(lines)) {
    stream.time = line.time;
    const std::uint64_t from = begin;
    if (line.missing) {
      begin += *line.missing;
      flush_record(stream, writing);
      if (!line.counted()) continue;  // a stream has nothing behind this mark, so it is another one's
      add_source_gap(stream, begin, *line.missing, writing);
      continue;
    }
    begin += line.text.size() + (line.full ? 1 : 0);
    add_to_records(stream, {line.text, line.full, from, begin, line.time}, writing);
  }
  stream.time = now;
}

// The rest of a record's head may come with the next bytes.
void Pipeline::add_to_records(Stream& stream, const LineView& line, FlowStore::Writing& writing) {
  const bool held = stream.records->held() > 0;
  const std::uint64_t unknown = stream.records->verbosity().unknown();
  stream.records->add(line, [&](const SchedulerLine& l) { add_record_line(stream, l, writing); });
  stats_.unknown_verbosity += stream.records->verbosity().unknown() - unknown;
  if (held || stream.records->held() == 0) return;
  stream.held_since = Clock::now();
  held_.push_back(stream.number);
}

void Pipeline::add_record_line(const Stream& stream, const SchedulerLine& line, FlowStore::Writing& writing) {
  const LineView& view = line.line.line;
  if (!line.flow.empty()) {
    flow_id_.assign(kDerivedFlows).append(line.flow);
    const FlowStore::Ref flow = writing.flow(flow_id_);
    mark_gaps(stream, *flow, view.time, writing);
    writing.add(*flow, stream.number, stream.output, view);
  }
  if (!schedulers_.main_log || !is_shown(line.level, schedulers_.main_verbosity)) return;
  const FlowStore::Ref main = writing.flow(kMainLogFlow);
  const bool ends_other = main->log.is_amid_line_of_other(stream.number);
  if (!writing.add(*main, stream.number, stream.output, view)) return;
  if (ends_other) schedulers_.main_log({}, true);
  schedulers_.main_log(view.text, view.full);
}

void Pipeline::flush_record(Stream& stream, FlowStore::Writing& writing) {
  if (stream.records)
    stream.records->flush([&](const SchedulerLine& line) { add_record_line(stream, line, writing); });
}

// A record is one write, so the rest of it is there a moment later.
void Pipeline::flush_records(Clock::time_point now) {
  if (held_.empty()) return;
  FlowStore::Writing writing(store_, now);
  std::erase_if(held_, [&](StreamNo number) {
    const auto at = streams_.find(number);
    if (at == streams_.end() || !at->second.records || at->second.records->held() == 0) return true;
    if (now - at->second.held_since < kRecordIsWritten) return false;
    flush_record(at->second, writing);
    return true;
  });
}

// Nobody knows whose records were lost. The main log has the gap in its place, and the pods' flows have it if it may be theirs.
void Pipeline::add_source_gap(Stream& stream, std::uint64_t to, std::uint64_t bytes,
                              FlowStore::Writing& writing) {
  if (std::ranges::find(gapped_, stream.number) == gapped_.end()) gapped_.push_back(stream.number);
  stream.gaps.add(to, bytes, stream.time);
  if (!schedulers_.main_log) return;
  const FlowStore::Ref main = writing.flow(kMainLogFlow);
  const bool ends_line = main->log.is_amid_line();
  if (!writing.add_source_gap(*main, stream.number, stream.output, to, bytes, stream.time)) return;
  if (ends_line) schedulers_.main_log({}, true);
  schedulers_.main_log(scheduler_gap_text(bytes), true);
}

// The main log has the mark in its place. Of the pods' flows, those have it that were written to a moment before.
void Pipeline::add_source_break(const Stream& stream, FlowStore::Writing& writing) {
  if (schedulers_.main_log) {
    const FlowStore::Ref main = writing.flow(kMainLogFlow);
    const bool ends_line = main->log.is_amid_line();
    if (writing.add_break(*main, stream.number, stream.output, stream.end_time)) {
      if (ends_line) schedulers_.main_log({}, true);
      schedulers_.main_log(gap_text(0, MissingCause::kBrokeOff, {.of_scheduler = true}), true);
    }
  }
  writing.derived_from(stream.number, [&](FlowStore::Flow& flow) {
    if (flow.log.last() + kAround >= stream.time)
      writing.add_break(flow, stream.number, stream.output, stream.end_time);
    else
      FlowStore::Writing::skip_break(flow, stream.number);
  });
}

// Before a line, the flow is told of all that was lost since its last one; a new flow, of what was lost a moment before.
void Pipeline::mark_gaps(const Stream& stream, FlowStore::Flow& flow, std::uint64_t time,
                         FlowStore::Writing& writing) {
  if (stream.gaps.empty()) return;
  const auto known = flow.log.position_of(stream.number);
  const std::uint64_t bytes =
      known ? stream.gaps.behind(*known) : stream.gaps.since(time - std::min(time, kAround));
  if (bytes > 0)
    writing.add_source_gap(flow, stream.number, stream.output, stream.gaps.end(), bytes, stream.gaps.time());
}

// A flow that was written to a moment before may have lost its last records, so it says so though nothing comes behind them. Many
// gaps are told as one, and only to such flows: otherwise thousands of flows would make room for nothing but marks.
void Pipeline::tell_gaps(Clock::time_point now) {
  if (gapped_.empty()) return;
  FlowStore::Writing writing(store_, now);
  std::erase_if(gapped_, [&](StreamNo number) {
    const auto at = streams_.find(number);
    if (at == streams_.end()) return true;
    Stream& stream = at->second;
    if (stream.gaps_told_at == Clock::time_point::max()) stream.gaps_told_at = now + kGapsAreOne;
    if (now < stream.gaps_told_at) return false;
    stream.gaps_told_at = Clock::time_point::max();
    if (stream.gaps.empty())
      return true;  // its name was corrected meanwhile, and it is no scheduler's any more
    writing.derived_from(number, [&](FlowStore::Flow& flow) {
      if (flow.log.last() + kAround >= stream.gaps.time())
        mark_gaps(stream, flow, stream.gaps.time(), writing);
    });
    return true;
  });
}

}  // namespace flowtap::flow
