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
      forget(record.name);
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
  EndRecord& record = touch(ended.of.name);
  EndRecord::End end_now = end_of(std::move(ended.of), std::move(ended.end));
  if (flow_at_) end_now.flow = flow_at_(end_now.flow, end_now.time);
  end(record, std::move(end_now));
}

// Kills of a run before go. A container that is started again keeps its id, and a service its flow.
void ContainerEnds::end(EndRecord& record, EndRecord::End end) {
  const auto& kills = record.oom_kills;
  if (kills && (kills->id != end.id || is_of_ended_run(record, kills->time))) record.oom_kills.reset();
  record.end = std::move(end);
}

// A run that ends well is the answer to why the one before did not.
void ContainerEnds::note(EndedService ended) {
  if (!ended.end) return forget(ended.of.name);
  EndRecord& record = touch(ended.of.name);
  end(record, end_of(std::move(ended.of), std::move(*ended.end)));
}

void ContainerEnds::note(OomKills kills) {
  EndRecord& record = touch(kills.of.name);
  const auto time = wall_time(kills.last.time);
  if (flow_at_) kills.of.flow = flow_at_(kills.of.flow, time);
  const auto& before = record.oom_kills;
  const bool same_run = before && before->flow == kills.of.flow &&
                        is_of_ended_run(record, before->time) == is_of_ended_run(record, time);
  record.oom_kills = EndRecord::Kills{.id = std::move(kills.of.id),
                                      .flow = std::move(kills.of.flow),
                                      .count = kills.count + (same_run ? record.oom_kills->count : 0),
                                      .time = time,
                                      .process = std::move(kills.last.name)};
}

EndRecord& ContainerEnds::touch(const WorkloadName& name) {
  Entry& entry = by_name_[name];
  by_number_.erase(entry.number);
  entry.number = ++numbers_;
  entry.record.name = name;
  by_number_.emplace(entry.number, name);
  changed_.insert(name);
  if (by_name_.size() > kMost) forget(WorkloadName(by_number_.begin()->second));
  return entry.record;
}

void ContainerEnds::put(EndRecord record) {
  EndRecord& here = touch(record.name);
  here = std::move(record);
}

void ContainerEnds::forget(const WorkloadName& name) {
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) return;
  by_number_.erase(at->second.number);
  changed_.insert(name);
  by_name_.erase(at);
}

void ContainerEnds::save() {
  const std::scoped_lock file_lock(file_mutex_);
  std::vector<EndRecord> records;
  bool all = false;
  {
    const std::scoped_lock lock(mutex_);
    if (!file_) return;
    // Somebody may have removed the file since the last end.
    all = file_->wants_all(by_name_.size());
    if (changed_.empty() && (!all || by_name_.empty())) return;
    if (all)
      for (const auto& [number, name] : by_number_) records.push_back(by_name_.at(name).record);
    else
      for (const WorkloadName& name : changed_) {
        const auto at = by_name_.find(name);
        records.push_back(at != by_name_.end() ? at->second.record
                                               : EndRecord{.name = name, .end = {}, .oom_kills = {}});
      }
    changed_.clear();
  }
  auto saved = all ? file_->write_all(records) : file_->append(records);
  const std::scoped_lock lock(mutex_);
  unsaved_ = saved ? std::nullopt : std::optional(std::move(saved).error());
  if (unsaved_)
    for (const EndRecord& record : records) changed_.insert(record.name);
}

std::optional<Error> ContainerEnds::unsaved() const {
  const std::scoped_lock lock(mutex_);
  return unsaved_;
}

std::vector<EndRecord> ContainerEnds::of_pod(std::string_view ns, std::string_view pod) const {
  const std::scoped_lock lock(mutex_);
  std::vector<EndRecord> all;
  const WorkloadName first{.kind = WorkloadKind::kPod,
                           .ns = std::string(ns),
                           .pod = std::string(pod),
                           .container = {},
                           .workload = {}};
  for (auto at = by_name_.lower_bound(first);
       at != by_name_.end() && at->first.kind == first.kind && at->first.ns == ns && at->first.pod == pod;
       ++at)
    all.push_back(at->second.record);
  return all;
}

std::vector<EndRecord> ContainerEnds::in_no_pod() const {
  const std::scoped_lock lock(mutex_);
  std::vector<EndRecord> all;
  for (const auto& [of, entry] : by_name_)
    if (of.kind != WorkloadKind::kPod) all.push_back(entry.record);
  return all;
}

std::vector<ContainerEnds::FlowEnd> ContainerEnds::of_runs(std::string_view first) const {
  std::vector<FlowEnd> ends;
  const auto add = [&](const auto& part) {
    if (part && run_of_flow(part->flow).first == first) ends.push_back({part->flow, part->time});
  };
  const std::scoped_lock lock(mutex_);
  for (const auto& [of, entry] : by_name_) {
    add(entry.record.end);
    add(entry.record.oom_kills);
  }
  return ends;
}

}  // namespace flowtap::telemetry
