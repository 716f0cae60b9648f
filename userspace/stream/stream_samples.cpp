// The stream path's own metrics.
#include "stream/stream_path.hpp"

namespace flowtap {
namespace {

using stats::StatId;

void append(std::vector<stats::Series>& out, StatId id, stats::Value value) {
  out.push_back({&stats::stat(id), {}, value});
}

void append_losses(std::vector<stats::Series>& out, const api::LossStatus& lost) {
  const auto one = [&out](const char* cause, std::uint64_t bytes) {
    out.push_back({&stats::stat(StatId::kLOG_LOST), {cause}, bytes});
  };
  one("ring_full", lost.ring_full);
  one("fault", lost.fault);
  one("uncaptured", lost.uncaptured);
  one("quiet", lost.quiet);
}

}  // namespace

void StreamPath::append_samples(std::vector<stats::Series>& out,
                                const api::StreamStatusReport& status) const {
  const flow::ConsumerCounts counts = consumer_->counts();
  const flow::JournalStats journal = journal_->stats();
  append(out, StatId::kLOG_CAPTURED, counts.bytes);
  append_losses(out, status.lost_bytes);
  append(out, StatId::kLOG_RECORDS, counts.records);
  append(out, StatId::kLOG_BROKEN, counts.broken_records);
  append(out, StatId::kLOG_LOST_EVENTS, status.lost_events);
  append(out, StatId::kLOG_REFUSED, status.no_slot);
  append(out, StatId::kLOG_RESCUED, slots_->kernel().rescued());
  if (status.ring_waiting) append(out, StatId::kLOG_RING_WAITING, static_cast<double>(*status.ring_waiting));
  append(out, StatId::kLOG_RING_SIZE, static_cast<double>(status.ring_bytes));
  append(out, StatId::kLOG_STREAMS, static_cast<double>(counts.open_streams));
  out.push_back({&stats::stat(StatId::kFLOWS), {"open"}, static_cast<double>(status.open_flows)});
  out.push_back({&stats::stat(StatId::kFLOWS), {"ended"}, static_cast<double>(status.ended_flows)});
  lines_->append_samples(out);
  refiller_->append_samples(out);
  auditor_->append_samples(out);
  append(out, StatId::kJOURNAL_BYTES, static_cast<double>(journal.held_bytes));
  append(out, StatId::kJOURNAL_EVICTED, journal.evicted_bytes);
  for (std::size_t i = 0; i < journal.failures.size(); ++i)
    out.push_back({&stats::stat(StatId::kJOURNAL_ERRORS),
                   {std::string(flow::to_string(static_cast<flow::JournalFailure>(i)))},
                   journal.failures.at(i)});
  for (const api::ProgramStatus& p : programs_) {
    if (p.run_count) out.push_back({&stats::stat(StatId::kPROGRAM_RUNS), {p.name}, *p.run_count});
    if (p.recursion_misses)
      out.push_back({&stats::stat(StatId::kRECURSION_MISSES), {p.name}, *p.recursion_misses});
  }
}

}  // namespace flowtap
