// What readers get of the store, and what can be told of its flows.
#include <array>
#include <mutex>
#include <span>

#include "base/positioned_io.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap::flow {

FlowStore::Ref FlowStore::find(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto known = flows_.find(id);
  return known == flows_.end() ? nullptr : known->second;
}

Result<LogPart> FlowStore::read(const Flow& flow, LogPosition from, std::size_t limit) const {
  while (true) {
    LogPart part;
    FilePart file;
    {
      const std::scoped_lock lock(mutex_);
      if (flow.gone) {
        const Succession& succession = *flow.succession;
        return LogPart{.gone = true,
                       .text = {},
                       .from = succession.left.base,
                       .next = succession.left.base,
                       .lines_before = succession.left.lines,
                       .ended = succession.ended,
                       .into = succession.into,
                       .edits = flow.log.edits()};
      }
      flow.log.read(from, limit, part, file);
    }
    if (!file.fd.valid()) return part;
    // This is not done under the lock, so a slow file system holds up this reader alone.
    part.text.resize(file.size);
    FTAP_TRY_ASSIGN(
        read, read_at(file.fd.get(), file.at, std::as_writable_bytes(std::span(part.text)), "a flow's file"));
    part.text.resize(read);
    part.ended = part.ended && read == file.size;
    part.next = part.from + read;
    const std::scoped_lock lock(mutex_);
    if (flow.log.has_kept(file)) return part;
  }
}

void FlowStore::check_file(const Ref& flow) {
  const std::scoped_lock lock(mutex_);
  FlowLog& log = flow->log;
  if (flow->gone || FlowLog::is_whole(log.file())) return;
  change(log, [&log] {
    log.give_up_file();
    return true;
  });
  changed_.push_back(flow);
}

// Thousands of files are looked at without the lock. Those that are not as expected may have been written or renamed meanwhile.
void FlowStore::check_files() {
  std::vector<std::pair<Ref, FlowLog::File>> files;
  {
    const std::scoped_lock lock(mutex_);
    files.reserve(flows_.size());
    for (const auto& [id, flow] : flows_) files.emplace_back(flow, flow->log.file());
  }
  for (const auto& [flow, file] : files)
    if (!FlowLog::is_whole(file)) check_file(flow);
}

FlowStore::Ref FlowStore::successor(const Flow& gone) const {
  const std::scoped_lock lock(mutex_);
  const Ref latest = gone.succession->latest.lock();
  return latest && !latest->gone ? latest : nullptr;
}

std::optional<FlowStore::Bounds> FlowStore::bounds(const Flow& flow) const {
  const std::scoped_lock lock(mutex_);
  if (flow.gone) return std::nullopt;
  return bounds_of(flow);
}

std::optional<FlowStore::Standing> FlowStore::standing(const Flow& flow) const {
  const std::scoped_lock lock(mutex_);
  if (flow.gone) return std::nullopt;
  return Standing{bounds_of(flow), flow.log.streams()};
}

FlowStore::Bounds FlowStore::bounds_of(const Flow& flow) {
  const FlowLog& log = flow.log;
  return {.begin = log.base(),
          .end = log.end(),
          .lines_before = log.written().lines_before,
          .lines = log.lines(),
          .missing = log.missing(),
          .edits = log.edits(),
          .broke_off = log.broke_off(),
          .terminal = flow.terminal,
          .bytes = log.bytes(),
          .made_room = log.made_room(),
          .made_room_returns = log.made_room_returns(),
          .first = log.first(),
          .from_start = log.made_room() == 0 && log.before().state == Before::State::kNone,
          .before = log.before()};
}

FlowSummary FlowStore::summary_of(const Flow& flow) const {
  const FlowLog& log = flow.log;
  return {log.id(),        log.shown(),   log.bytes(),    log.missing(), log.refilled(),
          log.first(),     log.last(),    log.ended(),    flow.derived,  log.before(),
          is_sought(flow), log.runtime(), log.broke_off()};
}

std::vector<FlowSummary> FlowStore::flows() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FlowSummary> all;
  all.reserve(flows_.size());
  for (const auto& [id, flow] : flows_) all.push_back(summary_of(*flow));
  return all;
}

std::optional<FlowSummary> FlowStore::summary(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto known = flows_.find(id);
  if (known == flows_.end()) return std::nullopt;
  return summary_of(*known->second);
}

MissingCause FlowStore::gap_cause(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto known = flows_.find(id);
  const FlowState* const past = past_.find(id);
  const auto cause = known != flows_.end() ? known->second->log.gap_cause()
                     : past != nullptr     ? past->gap_cause
                                           : std::nullopt;
  return cause.value_or(MissingCause::kUnknown);
}

std::vector<FlowSummary> FlowStore::past_flows() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FlowSummary> all;
  all.reserve(past_.all().size());
  for (const FlowState& flow : past_.all())
    all.push_back({.id = flow.id,
                   .lines = flow.shown,
                   .missing = flow.missing,
                   .refilled = flow.refilled,
                   .first = flow.first,
                   .last = flow.last,
                   .before = flow.before,
                   .broke_off = flow.broke_off});
  return all;
}

FlowStore::Changes FlowStore::changes_since(std::uint64_t change) const {
  const std::scoped_lock lock(mutex_);
  Changes changes{{}, changes_};
  if (change == changes_) return changes;
  for (const auto& [id, flow] : flows_)
    if (flow->change > change) changes.flows.push_back(id);
  return changes;
}

Result<std::shared_ptr<Follower>> FlowStore::follow_changes() {
  FTAP_TRY_ASSIGN(follower, Follower::create({kChanges}));
  followers_.add(follower, Followers::Hurry::kNo);
  return follower;
}

void FlowStore::news_of_flows() {
  followers_.tell(std::array{kChanges});
}

std::shared_ptr<Follower> FlowStore::follow(const Flow& flow, Followers::Hurry hurry) {
  auto follower = Follower::called({flow.number});
  followers_.add(follower, hurry);
  return follower;
}

StoreStats FlowStore::stats() const {
  const std::scoped_lock lock(mutex_);
  StoreStats stats = stats_;
  stats.gone = past_.lacked();
  stats.flows = flows_.size();
  stats.missed_lines = missed_lines_;
  for (const auto& [id, flow] : flows_) stats.open_flows += flow->log.ended() == 0 ? 1 : 0;
  stats.buffers = waiting_.size();
  stats.buffered_bytes = buffered_;
  stats.file_bytes = file_bytes_;
  return stats;
}

}  // namespace flowtap::flow
