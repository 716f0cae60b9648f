#include "telemetry/workloads/container_ends.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/flows/flow_run.hpp"

namespace flowtap::telemetry {
namespace {

EndRecord::Time wall_time(std::chrono::steady_clock::time_point time) {
  const auto age = std::chrono::steady_clock::now() - time;
  return std::chrono::system_clock::now() - std::chrono::duration_cast<EndRecord::Time::duration>(age);
}

EndRecord::End end_of(EndedWorkload of, stats::ProcessEnd end) {
  return {.id = std::move(of.id),
          .flow = std::move(of.flow),
          .status = end.status,
          .oom = end.oom,
          .started = end.started,
          .time = wall_time(end.time),
          .process = std::move(end.name)};
}

// The kernel kills the others with the first process, and they take a moment.
bool is_of_ended_run(const EndRecord& record, EndRecord::Time time) {
  constexpr std::chrono::seconds kMoment{1};
  return record.end && time <= record.end->time + kMoment;
}

bool is_asked_for(const WorkloadName& name) {
  return !is_sandbox(name) && (is_container(name.kind) || name.kind == WorkloadKind::kUnit);
}

}  // namespace

Status ContainerEnds::keep_in(std::string path) {
  const std::scoped_lock lock(file_mutex_, mutex_);
  file_.emplace(std::move(path));
  FTAP_TRY_ASSIGN(loaded, file_->load());
  for (EndRecord& record : loaded.records)
    if (record.tells())
      put(std::move(record));
    else
      forget(key_of(record));
  changed_.clear();
  if (loaded.broken > 0)
    return fail(file_->path() + " has lines that cannot be read (" + std::to_string(loaded.broken) +
                "); how these containers ended is not known any more");
  return {};
}

void ContainerEnds::note(Ends ends) {
  const std::scoped_lock lock(mutex_);
  // A service may have processes in a PID namespace of their own, too.
  for (EndedContainer& ended : ends.containers)
    if (is_container(ended.of.name.kind) && is_asked_for(ended.of.name)) note(std::move(ended));
  for (EndedService& ended : ends.services) note(std::move(ended));
  for (OomKills& kills : ends.oom_kills)
    if (is_asked_for(kills.of.name)) note(std::move(kills));
}

void ContainerEnds::note(EndedContainer ended) {
  Entry& entry = touch(key_of(ended.of.name, ended.of.id));
  const auto time = ended.end.time;
  EndRecord::End end_now = end_of(std::move(ended.of), std::move(ended.end));
  if (flow_at_) end_now.flow = flow_at_(end_now.flow, end_now.time);
  end(entry, time, std::move(end_now));
}

// Kills of a run before go. A container that is started again keeps its id, and a service its flow. Ends that are heard of
// together have no order.
void ContainerEnds::end(Entry& entry, Clock::time_point time, EndRecord::End end) {
  if (entry.ended && time < *entry.ended) return;
  entry.ended = time;
  EndRecord& record = entry.record;
  const auto& kills = record.oom_kills;
  if (kills && (kills->id != end.id || is_of_ended_run(record, kills->time))) record.oom_kills.reset();
  record.end = std::move(end);
}

// What is known of the run before is not the answer to how this one ended.
void ContainerEnds::note(EndedService ended) {
  const Key key = key_of(ended.of.name, ended.of.id);
  if (!ended.end) return forget(key);
  const auto time = ended.end->time;
  EndRecord::End last = end_of(std::move(ended.of), std::move(*ended.end));
  last.success = ended.success;
  end(touch(key), time, std::move(last));
}

void ContainerEnds::note(OomKills kills) {
  Entry& entry = touch(key_of(kills.of.name, kills.of.id));
  EndRecord& record = entry.record;
  const auto time = wall_time(kills.last.time);
  if (flow_at_) kills.of.flow = flow_at_(kills.of.flow, time);
  // The run after it has ended already.
  if (entry.ended && kills.last.time < *entry.ended && kills.of.flow != record.end->flow) return;
  const auto& before = record.oom_kills;
  const bool same_run = before && before->flow == kills.of.flow &&
                        is_of_ended_run(record, before->time) == is_of_ended_run(record, time);
  record.oom_kills = EndRecord::Kills{.id = std::move(kills.of.id),
                                      .flow = std::move(kills.of.flow),
                                      .count = kills.count + (same_run ? record.oom_kills->count : 0),
                                      .time = time,
                                      .process = std::move(kills.last.name)};
}

ContainerEnds::Key ContainerEnds::key_of(const WorkloadName& name, const std::string& id) {
  return {.name = name, .id = name.kind == WorkloadKind::kContainer ? id : ""};
}

ContainerEnds::Key ContainerEnds::key_of(const EndRecord& record) {
  if (record.end) return key_of(record.name, record.end->id);
  return key_of(record.name, record.oom_kills ? record.oom_kills->id : "");
}

ContainerEnds::Entry& ContainerEnds::touch(const Key& key) {
  const auto [at, is_new] = by_key_.try_emplace(key);
  Entry& entry = at->second;
  by_number_.erase(entry.number);
  entry.number = ++numbers_;
  entry.record.name = key.name;
  by_number_.emplace(entry.number, key);
  changed_.insert(key);
  if (is_new && !key.id.empty()) make_room_beside(key);
  if (by_key_.size() > kMost) forget(Key(by_number_.begin()->second));
  return entry;
}

void ContainerEnds::make_room_beside(const Key& key) {
  std::size_t count = 0;
  auto oldest = by_key_.end();
  for (auto at = by_key_.lower_bound({.name = key.name, .id = {}});
       at != by_key_.end() && at->first.name == key.name; ++at, ++count)
    if (oldest == by_key_.end() || at->second.number < oldest->second.number) oldest = at;
  if (count > kMostOfAName) forget(Key(oldest->first));
}

void ContainerEnds::put(EndRecord record) {
  Entry& entry = touch(key_of(record));
  entry.record = std::move(record);
}

void ContainerEnds::forget(const Key& key) {
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return;
  by_number_.erase(at->second.number);
  changed_.insert(key);
  by_key_.erase(at);
}

// They are in the order in which they came, so that a reader of the file forgets the same ones. No line of the file
// says that a container outside of pods was forgotten, because a line without an end has no id.
std::vector<EndRecord> ContainerEnds::changed_records() const {
  std::vector<EndRecord> records;
  std::vector<const Entry*> there;
  for (const Key& key : changed_)
    if (const auto at = by_key_.find(key); at != by_key_.end())
      there.push_back(&at->second);
    else if (key.id.empty())
      records.push_back({.name = key.name, .end = {}, .oom_kills = {}});
  std::ranges::sort(there, {}, &Entry::number);
  for (const Entry* const entry : there) records.push_back(entry->record);
  return records;
}

void ContainerEnds::save() {
  const std::scoped_lock file_lock(file_mutex_);
  std::vector<EndRecord> records;
  bool all = false;
  {
    const std::scoped_lock lock(mutex_);
    if (!file_) return;
    // Somebody may have removed the file since the last end.
    all = file_->wants_all(by_key_.size());
    if (changed_.empty() && (!all || by_key_.empty())) return;
    if (all)
      for (const auto& [number, key] : by_number_) records.push_back(by_key_.at(key).record);
    else
      records = changed_records();
    changed_.clear();
  }
  auto saved = all ? file_->write_all(records) : file_->append(records);
  const std::scoped_lock lock(mutex_);
  unsaved_ = saved ? std::nullopt : std::optional(std::move(saved).error());
  if (unsaved_)
    for (const EndRecord& record : records) changed_.insert(key_of(record));
}

std::optional<Error> ContainerEnds::unsaved() const {
  const std::scoped_lock lock(mutex_);
  return unsaved_;
}

std::vector<EndRecord> ContainerEnds::of_pod(std::string_view ns, std::string_view pod) const {
  const std::scoped_lock lock(mutex_);
  std::vector<EndRecord> all;
  const Key first = key_of({.kind = WorkloadKind::kPod,
                            .ns = std::string(ns),
                            .pod = std::string(pod),
                            .container = {},
                            .workload = {}},
                           {});
  for (auto at = by_key_.lower_bound(first);
       at != by_key_.end() && at->first.name.kind == WorkloadKind::kPod && at->first.name.ns == ns &&
       at->first.name.pod == pod;
       ++at)
    all.push_back(at->second.record);
  return all;
}

std::vector<EndRecord> ContainerEnds::in_no_pod() const {
  const std::scoped_lock lock(mutex_);
  std::vector<EndRecord> all;
  for (const auto& [of, entry] : by_key_)
    if (of.name.kind != WorkloadKind::kPod) all.push_back(entry.record);
  return all;
}

std::vector<ContainerEnds::FlowEnd> ContainerEnds::of_runs(std::string_view first) const {
  std::vector<FlowEnd> ends;
  const auto add = [&](const auto& part) {
    if (part && run_of_flow(part->flow).first == first) ends.push_back({part->flow, part->time});
  };
  const std::scoped_lock lock(mutex_);
  for (const auto& [of, entry] : by_key_) {
    add(entry.record.end);
    add(entry.record.oom_kills);
  }
  return ends;
}

}  // namespace flowtap::telemetry
