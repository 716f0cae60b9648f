#include "stream/store/flow_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "stream/store/file_name.hpp"

namespace flowtap::flow {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, kEvictions> kEvictionNames{"flow_bytes", "store_bytes", "flows",
                                                                  "age",        "unwritable",  "file"};

// The flows' files, by inode.
std::map<std::uint64_t, std::string> files_in(const std::string& dir) {
  std::map<std::uint64_t, std::string> files;
  std::error_code error;
  fs::directory_iterator at(dir, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename();
    const std::string_view stem = std::string_view(name).substr(0, name.rfind('.'));
    const bool made = (name.ends_with(".new") || name.ends_with(".tmp") || name.ends_with(".fill")) &&
                      stem.ends_with(kFlowSuffix);
    struct stat here{};
    if ((made || name.ends_with(kFlowSuffix)) && ::lstat(at->path().c_str(), &here) == 0 &&
        S_ISREG(here.st_mode))
      files.emplace(here.st_ino, name);
  }
  return files;
}

}  // namespace

std::string_view to_string(Eviction reason) {
  return kEvictionNames.at(static_cast<std::size_t>(reason));
}

std::unique_ptr<FlowStore> FlowStore::open(StoreOptions options) {
  std::unique_ptr<FlowStore> store(new FlowStore(std::move(options)));
  store->load();
  return store;
}

void FlowStore::load() {
  index_.emplace(FlowIndex::open(options_.dir));
  if (!index_->said().empty()) said_.push_back(index_->said());
  find_files();
  std::set<std::string> known;
  for (auto& [id, state] : index_->found()) {
    const Ref flow = make(std::move(state));
    file_bytes_ += file_pages(flow->log.written().length);
    count_lost(flow->log);
    note_gaps(*flow);  // whoever may fill them was perhaps not asked before the end
    known.insert(flow_file_name(id));
  }
  index_->found().clear();
  if (!flows_.empty()) next_flush_ = {};  // some may be too old
  // Files of flows that the index does not know, and files that were still being made.
  for (const auto& [inode, name] : files_in(options_.dir)) {
    std::error_code ignored;
    if (!known.contains(name)) fs::remove(options_.dir + "/" + name, ignored);
  }
}

// The files may have any name: a process may have died between writing to the index and giving a file its name.
void FlowStore::find_files() {
  const auto files = files_in(options_.dir);
  for (const auto& [id, state] : index_->found()) {
    const auto file = files.find(state.inode);
    const std::string name = flow_file_name(id);
    if (file == files.end() || file->second == name) continue;
    std::error_code ignored;
    fs::rename(options_.dir + "/" + file->second, options_.dir + "/" + name, ignored);
  }
}

FlowStore::Ref FlowStore::make(FlowState state) {
  const std::string id = state.id;
  const bool derived = id.starts_with(kDerivedFlows);
  auto succession = left_by(id);
  left_.erase(id);
  const auto past = past_.take(id);
  if (succession)
    state = succession->left;
  else if (past)
    state = *past;
  if (!succession)
    succession = std::make_shared<Succession>(Succession{.number = next_number_++, .latest = {}});
  auto flow = std::make_shared<Flow>(std::move(succession), options_.dir, std::move(state), derived);
  flow->succession->latest = flow;
  flows_.insert_or_assign(id, flow);
  note_change(*flow);
  return flow;
}

// Empty: nobody asks for it any more.
std::shared_ptr<FlowStore::Succession> FlowStore::left_by(const std::string& id) const {
  const auto left = left_.find(id);
  return left == left_.end() ? nullptr : left->second.lock();
}

void FlowStore::note_change(Flow& flow) {
  flow.change = ++changes_;
  if (touched_.empty() || touched_.back() != kChanges) touched_.push_back(kChanges);
}

FlowStore::Writing::Writing(FlowStore& store, Clock::time_point now)
    : store_(store), lock_(store.mutex_), now_(now) {}

FlowStore::Writing::~Writing() {
  for (const auto& number : store_.touched_)
    if (const auto at = store_.waiting_.find(number); at != store_.waiting_.end())
      at->second->touched = false;
  const auto touched = std::exchange(store_.touched_, {});
  // Whoever is told reads at once, and would only wait for the lock.
  lock_.unlock();
  store_.followers_.tell(touched);
}

FlowStore::Ref FlowStore::Writing::flow(const std::string& id) {
  const auto known = store_.flows_.find(id);
  if (known != store_.flows_.end()) return known->second;
  const Ref fresh = store_.make(FlowState{.id = id, .streams = {}});
  fresh->fresh = true;
  return fresh;
}

void FlowStore::Writing::touch(Flow& flow) {
  if (flow.touched) return;
  flow.touched = true;
  store_.touched_.push_back(flow.number);
  const auto [at, fresh] = store_.waiting_.try_emplace(flow.number);
  if (!fresh) return;
  at->second = store_.flows_.at(flow.log.id());
  flow.waits_since = now_;
  store_.next_flush_ = std::min(store_.next_flush_, now_ + store_.options_.idle);
}

bool FlowStore::Writing::add(Flow& flow, StreamNo stream, std::string_view output, const LineView& line) {
  const std::size_t before = flow.log.buffered();
  const std::uint64_t shown = flow.log.shown();
  if (!flow.log.add(stream, output, line, store_.clock_)) return false;
  store_.more_age_ = store_.more_age_ || flow.derived;
  store_.buffered_ += flow.log.buffered() - before;
  store_.full_ = store_.full_ || (flow.log.buffered() >= store_.options_.buffer_bytes && now_ >= flow.retry);
  store_.stats_.lines += flow.log.shown() - shown;
  touch(flow);
  return true;
}

void FlowStore::Writing::add_gap(Flow& flow, StreamNo stream, std::string_view output, std::uint64_t to,
                                 std::uint64_t time, MissingCause cause) {
  const std::size_t before = flow.log.buffered();
  if (!flow.log.add_gap(stream, output, to, time, store_.clock_, cause)) return;
  store_.buffered_ += flow.log.buffered() - before;
  touch(flow);
  store_.note_gaps(flow);
}

bool FlowStore::Writing::add_source_gap(Flow& flow, StreamNo stream, std::string_view output,
                                        std::uint64_t to, std::uint64_t bytes, std::uint64_t time) {
  const std::size_t before = flow.log.buffered();
  if (!flow.log.add_source_gap(stream, output, to, bytes, time, store_.clock_)) return false;
  store_.buffered_ += flow.log.buffered() - before;
  touch(flow);
  return true;
}

bool FlowStore::Writing::add_break(Flow& flow, StreamNo stream, std::string_view output, std::uint64_t time) {
  const std::size_t before = flow.log.buffered();
  if (!flow.log.add_break(stream, output, time, store_.clock_)) return false;
  set_broke_off(flow);
  store_.buffered_ += flow.log.buffered() - before;
  touch(flow);
  return true;
}

FlowStore::Ref FlowStore::Writing::rename(const Ref& flow, const std::string& id) {
  const auto there = store_.flows_.find(id);
  // A follower of a flow of that name that is gone goes on with the flow that is made in its place.
  const bool goes_on = store_.left_by(id) || store_.past_.find(id) != nullptr;
  if (there == store_.flows_.end() && !goes_on) {
    touch(*flow);
    store_.flows_.erase(flow->log.id());
    store_.flows_.emplace(id, flow);
    store_.gone_.push_back(flow->log.id());
    store_.changed_.push_back(flow);
    store_.change(flow->log, [&] {
      flow->log.rename(store_.options_.dir, id);
      return true;
    });
    store_.note_change(*flow);
    store_.write_index();
    store_.note_gaps(*flow);
    return flow;
  }
  const Ref target = there == store_.flows_.end() ? this->flow(id) : there->second;
  const std::size_t before = target->log.buffered();
  if (!target->log.absorb(flow->log)) return target;
  store_.buffered_ += target->log.buffered() - before;
  touch(*target);
  store_.note_gaps(*target);
  store_.forget(flow);
  flow->succession->ended = true;
  flow->succession->into = id;
  open_stream(*target, flow->terminal);
  return target;
}

void FlowStore::Writing::set_runtime(Flow& flow, std::string runtime) {
  flow.log.set_runtime(std::move(runtime));
  note_state(flow);
}

void FlowStore::Writing::set_broke_off(Flow& flow) {
  if (flow.gone) flow.succession->left.broke_off = true;
  if (flow.log.broke_off()) return;
  flow.log.set_broke_off();
  note_state(flow);
}

// The next flush writes it to the index.
void FlowStore::Writing::note_state(const Flow& flow) {
  if (const auto known = store_.flows_.find(flow.log.id()); known != store_.flows_.end())
    store_.changed_.push_back(known->second);
}

void FlowStore::Writing::open_stream(Flow& flow, bool terminal) {
  ++flow.succession->open_streams;
  flow.terminal = flow.terminal || terminal;
  if (flow.log.ended() == 0) return;
  flow.log.set_ended(0);
  touch(flow);
  store_.note_change(flow);
}

// A flow that is gone may have a successor, which others write to.
void FlowStore::Writing::end_stream(Flow& flow, std::uint64_t time) {
  Succession& succession = *flow.succession;
  if (succession.open_streams > 0) --succession.open_streams;
  const Ref latest = succession.latest.lock();
  if (succession.open_streams > 0 || !latest || latest->gone) return;
  latest->log.set_ended(std::max<std::uint64_t>(time, 1));
  store_.more_age_ = true;
  touch(*latest);
  store_.note_change(*latest);
  store_.note_gaps(*latest);  // gaps that nothing stands behind may be found now
}

FlowStore::Ref FlowStore::Writing::renew(Flow& gone, std::uint64_t time, bool terminal) {
  Ref flow = this->flow(gone.log.id());
  flow->terminal = flow->terminal || terminal;
  if (flow->succession == gone.succession) return flow;
  // Other streams of the flow have another name by now.
  end_stream(gone, time);
  open_stream(*flow);
  return flow;
}

void FlowStore::forget_streams() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, flow] : flows_) flow->succession->open_streams = 0;
  for (const auto& [id, left] : left_)
    if (const auto succession = left.lock()) succession->open_streams = 0;
}

void FlowStore::keep_streams(const std::unordered_set<StreamNo>& streams) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, flow] : flows_)
    flow->log.forget_streams([&streams](StreamNo stream) { return streams.contains(stream); });
}

void FlowStore::end_orphans(std::uint64_t time) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, flow] : flows_) {
    if (flow->succession->open_streams > 0 || flow->log.ended() != 0 || flow->derived) continue;
    flow->log.set_ended(flow->log.last() != 0 ? flow->log.last() : time);
    note_change(*flow);
    note_gaps(*flow);
    more_age_ = true;
    waiting_.try_emplace(flow->number, flow);
    next_flush_ = {};
  }
}

void FlowStore::expect(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  if (!flows_.contains(id)) make(FlowState{.id = id, .streams = {}})->fresh = true;
}

void FlowStore::set_before(const std::string& id, const Before& before, const std::array<bool, 2>& amid) {
  const std::scoped_lock lock(mutex_);
  const auto known = flows_.find(id);
  if (known == flows_.end() || known->second->log.before().state >= before.state) return;
  known->second->log.set_before(before, amid);
  changed_.push_back(known->second);  // the next flush writes it to the index
}

bool FlowStore::is_due(const Flow& flow, Clock::time_point now) const {
  return now >= flow.retry &&
         (now - flow.waits_since >= options_.idle || flow.log.buffered() >= options_.buffer_bytes);
}

FlowStore::Clock::time_point FlowStore::next_flush() const {
  const std::scoped_lock lock(mutex_);
  return next_flush_;
}

bool FlowStore::has_too_much() const {
  const std::scoped_lock lock(mutex_);
  return too_much();
}

bool FlowStore::too_much() const {
  return full_ || waiting_.size() > options_.buffers || buffered_ > options_.buffers_bytes;
}

void FlowStore::flush(Clock::time_point now, std::uint64_t wall_ns, bool all) {
  const std::scoped_lock lock(mutex_);
  wall_ = wall_ns;
  const bool crowded = waiting_.size() > options_.buffers || buffered_ > options_.buffers_bytes;
  stats_.last_error.clear();
  full_ = false;
  std::vector<Ref> due;
  for (const auto& [number, flow] : waiting_)
    if (all || is_due(*flow, now) || (crowded && now >= flow->retry)) due.push_back(flow);
  for (const Ref& flow : due) {
    if (flow->gone) continue;
    flush_flow(flow, now);
    if (!flow->gone && !flow->log.has_news()) waiting_.erase(flow->number);
  }
  limit_unwritten();
  enforce(wall_ns);
  write_index();
  next_flush_ = Clock::time_point::max();
  for (const auto& [number, flow] : waiting_)
    next_flush_ = std::min(next_flush_, std::max(flow->waits_since + options_.idle, flow->retry));
  if (index_is_behind_) next_flush_ = std::min(next_flush_, now + options_.idle);
  // Flows become too old on a quiet node, too.
  if (old_at_ != 0) {
    // A look each second is enough, so one may have become too old since the last.
    const std::uint64_t look = std::max({old_at_, aged_ + kLookPause, wall_ns});
    next_flush_ = std::min(next_flush_, now + std::min<std::chrono::nanoseconds>(
                                                  std::chrono::nanoseconds(look - wall_ns), options_.age));
  }
}

}  // namespace flowtap::flow
