// How the store keeps within its bounds, and when it writes what.
#include <algorithm>
#include <array>

#include "stream/store/flow_store.hpp"

namespace flowtap::flow {
namespace {

// The most that a flow may hold in memory while it cannot be written, in buffers.
constexpr std::uint64_t kUnwrittenBuffers = 4;
// After this many ns without a line, a derived flow counts as if it had ended with its last one.
constexpr std::uint64_t kSilent = 60'000'000'000;

}  // namespace

void FlowStore::flush_flow(const Ref& flow, Clock::time_point now) {
  FlowLog& log = flow->log;
  if (log.end() - log.base() > options_.flow_bytes)
    shrink(flow, options_.flow_bytes / 2, Eviction::kFlowBytes);
  if (!log.has_news()) return;
  const auto write = [&log] { return log.flush(); };
  Status done = change(log, write);
  while (!done && is_full(done.error()) && make_room(flow.get())) {
    if (flow->gone) return;  // it was the flow that had to go
    done = change(log, write);
  }
  if (done) {
    changed_.push_back(flow);
    return;
  }
  ++stats_.write_errors;
  stats_.last_error = done.error().what;
  flow->waits_since = now;
  flow->retry = now + options_.idle;
  if (log.buffered() > kUnwrittenBuffers * options_.buffer_bytes)
    shrink(flow, options_.buffer_bytes, Eviction::kUnwritable);
}

// What cannot be written stays in memory, but all flows together stay within the bound.
void FlowStore::limit_unwritten() {
  if (buffered_ <= options_.buffers_bytes) return;
  const std::uint64_t each = options_.buffers_bytes / std::max<std::size_t>(waiting_.size(), 1);
  std::vector<Ref> waiting;
  waiting.reserve(waiting_.size());
  for (const auto& [number, flow] : waiting_) waiting.push_back(flow);
  for (const Ref& flow : waiting)
    if (flow->log.buffered() > each) shrink(flow, each, Eviction::kUnwritable);
}

void FlowStore::shrink(const Ref& flow, std::uint64_t bytes, Eviction reason) {
  const std::uint64_t evicted = change(flow->log, [&] { return flow->log.shrink(bytes); });
  if (evicted == 0) return;
  stats_.evicted_bytes.at(static_cast<std::size_t>(reason)) += evicted;
  changed_.push_back(flow);
}

void FlowStore::remove(const Ref& flow, Eviction reason) {
  ++stats_.evicted_flows.at(static_cast<std::size_t>(reason));
  stats_.evicted_bytes.at(static_cast<std::size_t>(reason)) += flow->log.end() - flow->log.base();
  std::erase_if(left_, [](const auto& left) { return left.second.expired(); });
  left_.insert_or_assign(flow->log.id(), flow->succession);
  forget(flow);
  if (!flow->derived) past_.add(flow->succession->left);
}

void FlowStore::forget(const Ref& flow) {
  FlowLog& log = flow->log;
  file_bytes_ -= file_pages(log.written().length);
  buffered_ -= log.buffered();
  flow->succession->left = log.left();
  flow->succession->ended = log.ended() != 0;
  log.remove_file();
  log.release();
  flow->gone = true;
  gone_.push_back(log.id());
  flows_.erase(log.id());
  waiting_.erase(flow->number);
  followers_.tell(std::array{flow->number});
}

// A derived flow that is written to is left alone: whoever writes most would otherwise push out all of them.
bool FlowStore::is_over(const Flow& flow) const {
  const std::uint64_t since = flow.over_since();
  return since != 0 && !(flow.derived && since + kSilent > wall_);
}

FlowStore::Ref FlowStore::oldest_over() const {
  Ref oldest;
  for (const auto& [id, flow] : flows_)
    if (is_over(*flow) && (!oldest || flow->over_since() < oldest->over_since())) oldest = flow;
  return oldest;
}

FlowStore::Ref FlowStore::largest() const {
  Ref largest;
  for (const auto& [id, flow] : flows_)
    if (!largest || flow->log.written().length > largest->log.written().length) largest = flow;
  return largest;
}

// Only flows with at least this much in their files count. Derived flows go before flows that are somebody's whole output.
FlowStore::Ref FlowStore::longest_silent(std::uint64_t least, const Flow* but) const {
  Ref longest;
  const auto rank = [](const Flow& flow) { return std::pair(!flow.derived, flow.log.last()); };
  for (const auto& [id, flow] : flows_)
    if (flow.get() != but && flow->log.written().length >= least &&
        (!longest || rank(*flow) < rank(*longest)))
      longest = flow;
  return longest;
}

// False: nothing is left that could go for what `writer` has to write.
bool FlowStore::make_room(const Flow* writer) {
  if (const Ref over = oldest_over()) {
    remove(over, Eviction::kStoreBytes);
    return true;
  }
  // The writer has no file, and none can be made. Shortening another flow's file would need a new file, too.
  if (writer != nullptr && writer->log.written().inode == 0) return false;
  const Ref flow = largest();
  if (!flow || flow->log.written().length == 0) return false;
  if (flow->log.written().length <= kFilePage) {
    // Half of it would take no less.
    if (const Ref silent = longest_silent(1, writer)) {
      remove(silent, Eviction::kStoreBytes);
      return true;
    }
  }
  const std::uint64_t before = file_bytes_;
  shrink(flow, (flow->log.written().length + flow->log.buffered()) / 2, Eviction::kStoreBytes);
  return file_bytes_ < before;
}

void FlowStore::remove_old(std::uint64_t wall_ns) {
  aged_ = wall_ns;
  old_at_ = 0;
  more_age_ = false;
  const auto age = static_cast<std::uint64_t>(std::chrono::nanoseconds(options_.age).count());
  std::vector<Ref> old;
  for (const auto& [id, flow] : flows_) {
    const std::uint64_t end = flow->over_since();
    if (end == 0) continue;
    const std::uint64_t old_at = end + age + 1;
    if (old_at <= wall_ns)
      old.push_back(flow);
    else if (old_at_ == 0 || old_at < old_at_)
      old_at_ = old_at;
  }
  for (const Ref& flow : old) remove(flow, Eviction::kAge);
}

void FlowStore::enforce(std::uint64_t wall_ns) {
  if (wall_ns - aged_ >= kLookPause)
    remove_old(wall_ns);
  else if (more_age_)
    old_at_ = aged_ + kLookPause;
  while (file_bytes_ > options_.store_bytes && make_room()) continue;
  while (flows_.size() > options_.flows) {
    const Ref over = oldest_over();
    remove(over ? over : longest_silent(0), Eviction::kFlows);
  }
}

std::uint64_t FlowStore::give_up(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t before = file_bytes_;
  while (before - file_bytes_ < bytes && make_room()) continue;
  write_index();
  return before - file_bytes_;
}

void FlowStore::write_index() {
  std::erase_if(changed_, [](const Ref& flow) { return flow->gone; });
  if (changed_.empty() && gone_.empty() && !index_is_behind_) return;
  const bool whole = index_is_behind_ || index_->wants_rewrite();
  std::vector<const FlowState*> states;
  if (whole)
    for (const auto& [id, flow] : flows_) states.push_back(&flow->log.written());
  else
    for (const Ref& flow : changed_) states.push_back(&flow->log.written());
  if (const Status done = whole ? index_->rewrite(states) : index_->append(states, gone_); !done) {
    ++stats_.index_errors;
    stats_.last_error = done.error().what;
    index_is_behind_ = true;
  } else {
    index_is_behind_ = false;
  }
  // This is done even after an error: until the index can be written again, only a start would find less.
  for (const Ref& flow : changed_) flow->log.settle();
  changed_.clear();
  gone_.clear();
}

}  // namespace flowtap::flow
