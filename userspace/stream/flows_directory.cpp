#include "stream/flows_directory.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "stream/flows_mount.hpp"

namespace flowtap {
namespace {

// A twelfth of the journal makes room at once, so that at least eleven twelfths are history. Segments smaller than a drain of
// the ring (1 MiB) would mean a file for each batch. Larger ones would free much at once, and a start reads a segment whole.
constexpr std::uint64_t kSegmentsOfJournal = 12;
constexpr std::uint64_t kLeastSegment = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostSegment = std::uint64_t{64} << 20U;

}  // namespace

Result<FlowsDirectory> FlowsDirectory::open(const std::string& state_dir, const LineOptions& limits,
                                            std::vector<std::string>& warnings) {
  FlowsDirectory directory;
  FTAP_TRY_ASSIGN(mounted,
                  mount_flows(state_dir, {.bytes = limits.flows_bytes, .flows = limits.flows.max_flows}));
  if (!mounted.warning.empty()) warnings.push_back(mounted.warning);
  directory.path_ = mounted.path;
  const FlowsSince since = flows_since(mounted.path, std::chrono::system_clock::now());
  if (since.is_new)
    spdlog::info(
        "stream: {} is new: nothing is left of what was captured earlier, such as before a reboot; logs "
        "begin with what the containers' runtimes have kept",
        mounted.path);
  directory.since_ = since.time;
  FTAP_TRY_ASSIGN(journal,
                  flow::Journal::open({.dir = mounted.path + "/.journal",
                                       .max_bytes = limits.journal_bytes,
                                       .segment_bytes = std::clamp(limits.journal_bytes / kSegmentsOfJournal,
                                                                   kLeastSegment, kMostSegment)}));
  directory.journal_ = std::move(journal);
  for (const std::string& said : directory.journal_->replayed().said) warnings.push_back(said);
  return directory;
}

void FlowsDirectory::report(api::StreamStatusReport& report) const {
  const flow::JournalStats journal = journal_->stats();
  std::uint64_t write_errors = 0;
  for (const std::uint64_t failures : journal.failures) write_errors += failures;
  report.journal = api::JournalStatus{.bytes = journal.held_bytes,
                                      .limit = journal_->max_bytes(),
                                      .segments = journal.segments,
                                      .write_errors = write_errors,
                                      .torn = journal_->replayed().torn_bytes};
  report.flows_since = since_;
}

void FlowsDirectory::append_samples(std::vector<stats::Series>& out) const {
  using stats::StatId;
  const flow::JournalStats journal = journal_->stats();
  const auto one = [&out](StatId id, stats::Labels labels, stats::Value value) {
    out.push_back({&stats::stat(id), std::move(labels), value});
  };
  one(StatId::kJOURNAL_BYTES, {}, static_cast<double>(journal.held_bytes));
  one(StatId::kJOURNAL_EVICTED, {}, journal.evicted_bytes);
  for (std::size_t i = 0; i < journal.failures.size(); ++i)
    one(StatId::kJOURNAL_ERRORS, {std::string(flow::to_string(static_cast<flow::JournalFailure>(i)))},
        journal.failures.at(i));
}

}  // namespace flowtap
