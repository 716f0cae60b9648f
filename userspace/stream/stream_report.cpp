// What the status shows of the stream path.
#include <algorithm>
#include <iterator>
#include <map>

#include "stream/reading/flow_list.hpp"
#include "stream/stream_path.hpp"

namespace flowtap {

api::StreamStatusReport StreamPath::report() const {
  const flow::ConsumerCounts counts = consumer_->counts();
  const flow::JournalStats journal = journal_->stats();
  api::StreamStatusReport report;
  report.backend = kernel::backend_name(live_->backend());
  report.reason = live_->why();
  report.pinned = pinned_;
  report.ring_bytes = ring_->capacity();
  report.ring_waiting = ring_->backlog();
  report.lost_bytes = {.ring_full = counts.lost[FTAP_LOSS_RING_FULL],
                       .fault = counts.lost[FTAP_LOSS_FAULT],
                       .uncaptured = counts.lost[FTAP_LOSS_UNCAPTURED],
                       .quiet = counts.lost[FTAP_LOSS_QUIET]};
  report.lost_events = slots_->kernel().lost_events();
  report.no_slot = slots_->kernel().no_slot();
  std::uint64_t write_errors = 0;
  for (const std::uint64_t failures : journal.failures) write_errors += failures;
  report.journal = api::JournalStatus{.bytes = journal.held_bytes,
                                      .limit = journal_limit_,
                                      .segments = journal.segments,
                                      .write_errors = write_errors,
                                      .torn = journal_->replayed().torn_bytes};
  std::map<std::string, bool> flows;  // whether they are open
  for (const auto& [id, streams] : streams_by_flow(*journal_))
    flows[id] = std::ranges::any_of(streams, [](const auto& stream) { return !stream.sums.ended; });
  for (const flow::FlowSummary& flow : lines_->store().flows()) flows.try_emplace(flow.id, flow.open);
  for (const auto& [id, open] : flows) ++(open ? report.open_flows : report.ended_flows);
  report.flows_since = since_.time;
  report.open_streams = counts.open_streams;
  report.taps = taps_ ? taps_->count() : 0;
  if (file_sources_) {
    FileSources::Told told = file_sources_->told();
    report.sources.not_found = std::move(told.not_found);
    report.sources.refused = std::move(told.refused);
    report.sources.lost_files = told.lost_files;
  }
  if (listed_) {
    std::ranges::copy(listed_->not_found(), std::back_inserter(report.sources.not_found));
    std::ranges::copy(listed_->refused(), std::back_inserter(report.sources.refused));
  }
  report.sources.filled_bytes = file_streams_.counts().filled;
  if (!programs_.empty()) report.recursion_misses = misses_.unseen;
  return report;
}

}  // namespace flowtap
