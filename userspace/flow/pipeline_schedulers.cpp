// What of schedulers' streams goes to the flows of pods and to the main log: records, and that some are missing.
#include <algorithm>
#include <utility>

#include "flow/pipeline.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

// What comes within one is one gap to the flows around it.
constexpr auto kGapsAreOne = 1s;
// ns; a flow may lack a record that was lost so long after its last one, or before its first.
constexpr std::uint64_t kAround = 10'000'000'000;

}  // namespace

void Pipeline::add_record_line(const Stream& stream, const SchedulerLine& line, FlowStore::Writing& writing) {
  const LineView& view = line.line.line;
  if (!line.flow.empty()) {
    flow_id_.assign(kDerivedFlows).append(line.flow);
    const FlowStore::Ref flow = writing.flow(flow_id_);
    mark_gaps(stream, *flow, view.time, writing);
    writing.add(*flow, stream.number, stream.output, view);
  }
  if (!schedulers_.main_log || !is_shown(line.level, schedulers_.main_verbosity)) return;
  if (!writing.add(*writing.flow(kMainLogFlow), stream.number, stream.output, view)) return;
  schedulers_.main_log(view.text, view.full);
  main_log_open_ = !view.full;
}

void Pipeline::flush_record(Stream& stream, FlowStore::Writing& writing) {
  if (stream.records)
    stream.records->flush([&](const SchedulerLine& line) { add_record_line(stream, line, writing); });
}

// A record is one write, so what belongs to it is there a moment later.
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

// Whose records were lost nobody knows: the main log says it where it is, and the pods' flows as far as it may be theirs.
void Pipeline::add_source_gap(Stream& stream, std::uint64_t to, std::uint64_t bytes,
                              FlowStore::Writing& writing) {
  if (std::ranges::find(gapped_, stream.number) == gapped_.end()) gapped_.push_back(stream.number);
  stream.gaps.add(to, bytes, stream.time);
  if (!schedulers_.main_log || !writing.add_source_gap(*writing.flow(kMainLogFlow), stream.number,
                                                       stream.output, to, bytes, stream.time))
    return;
  if (std::exchange(main_log_open_, false)) schedulers_.main_log({}, true);
  schedulers_.main_log(scheduler_gap_text(bytes), true);
}

// Before a line: all that was lost since the flow's last one; of one that is new, what was lost a moment before.
void Pipeline::mark_gaps(const Stream& stream, FlowStore::Flow& flow, std::uint64_t time,
                         FlowStore::Writing& writing) {
  if (stream.gaps.empty()) return;
  const auto known = flow.log.position_of(stream.number);
  const std::uint64_t bytes =
      known ? stream.gaps.behind(*known) : stream.gaps.since(time - std::min(time, kAround));
  if (bytes > 0)
    writing.add_source_gap(flow, stream.number, stream.output, stream.gaps.end(), bytes, stream.gaps.time());
}

// A flow that was written to a moment before may have lost its last records: it says so though nothing comes behind them. Many
// gaps are told as one, and to no others: thousands of flows would make room for nothing but marks.
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
    writing.derived_from(number, [&](FlowStore::Flow& flow) {
      if (flow.log.last() + kAround >= stream.gaps.time())
        mark_gaps(stream, flow, stream.gaps.time(), writing);
    });
    return true;
  });
}

}  // namespace flowtap::flow
