#include "telemetry/workloads/usage_ledger.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace flowtap::telemetry {
namespace {

constexpr std::string_view kService = ".service";

stats::Waits waits_since(const stats::Waits& now, const stats::Waits& before) {
  stats::Waits since;
  std::ranges::transform(now, before, since.begin(),
                         [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>(a - b); });
  return since;
}

// Adds what came on top of the highest value ever read: what a CPU's task has run since its last switch may be read
// twice.
stats::GroupUsage since(const stats::GroupUsage& now, const stats::GroupUsage& before) {
  const auto more = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
  return {.run_ns = more(now.run_ns, before.run_ns),
          .wait_ns = more(now.wait_ns, before.wait_ns),
          .dispatches = more(now.dispatches, before.dispatches),
          .cycles = more(now.cycles, before.cycles),
          .waits = waits_since(now.waits, before.waits)};
}

// `b` is the later one.
stats::GroupUsage most(const stats::GroupUsage& a, const stats::GroupUsage& b) {
  return {.run_ns = std::max(a.run_ns, b.run_ns),
          .wait_ns = std::max(a.wait_ns, b.wait_ns),
          .dispatches = std::max(a.dispatches, b.dispatches),
          .cycles = std::max(a.cycles, b.cycles),
          .waits = b.waits};
}

stats::Labels instance_of(const Workload& workload, const CgroupNaming& naming) {
  std::vector<std::string> labels(workload.labels.begin(), workload.labels.end());
  labels.insert(labels.end(), {naming.id, naming.image, naming.top, naming.pod_uid, naming.runtime});
  return labels;
}

// As systemd sees it, where a unit has no rule of its own (CgroupNames::is_success).
bool ended_well(const stats::ProcessEnd& end) {
  if (end.oom) return false;
  if (!WIFSIGNALED(end.status)) return WEXITSTATUS(end.status) == 0;
  const int signal = WTERMSIG(end.status);
  return signal == SIGHUP || signal == SIGINT || signal == SIGTERM || signal == SIGPIPE;
}

bool is_service(const WorkloadName& name) {
  return name.kind == WorkloadKind::kUnit && name.workload.ends_with(kService);
}

EndedWorkload ended_of(const CgroupNaming& naming) {
  return {.name = naming.name, .id = naming.id, .flow = naming.flow};
}

}  // namespace

void UsageLedger::note(stats::CgroupEvent event, Clock::time_point now) {
  const auto [at, fresh] = cgroups_.try_emplace(event.id, now);
  Cgroup& cgroup = at->second;
  if (cgroup.path.empty()) cgroup.path = std::move(event.path);
  // A cgroup that was made unseen: the walk has its path, or knows that it is gone.
  missed_ = missed_ || (fresh && cgroup.path.empty());
  if (event.gone && !cgroup.gone) set_gone(cgroup, now);
  if (event.ended) cgroup.ended = std::move(event.ended);
  // Whether one with an outer parent ends a service is seen where the owner is known.
  if (event.process_ended && event.process_ended->oom && !event.process_ended->outer_parent)
    cgroup.add_kill(std::move(*event.process_ended));
}

void UsageLedger::take_events(stats::UsageSource& source, Clock::time_point now) {
  const bool whole = source.take_events([&](stats::CgroupEvent event) {
    if (event.began || event.ended || event.empty || event.process_ended)
      turns_.push_back({.id = event.id,
                        .began = event.began,
                        .first = event.ended.has_value(),
                        .process = event.process_ended});
    note(std::move(event), now);
  });
  missed_ = missed_ || !whole;
  // It may be what was lost that would have ended a run.
  if (!whole) failed_.clear();
  if (!whole || !unseen_) unseen_ = now;
}

// Below the service's own cgroup it is some manager in it that waits.
void UsageLedger::take_process_turn(Cgroup& cgroup, const stats::ProcessEnd& end, Clock::time_point now) {
  const CgroupNaming& naming = *cgroup.naming;
  if (!end.outer_parent) return;
  if (!is_service(naming.name) || naming.top != cgroup.path) {
    if (end.oom) cgroup.add_kill(end);
    return;
  }
  if (ended_well(end)) return note_well(naming.top, end, now);
  forget_ends(now);
  if (failed_.size() < kMostFailed) failed_.emplace(naming.top, end);
}

void UsageLedger::note_well(const std::string& top, const stats::ProcessEnd& end, Clock::time_point now) {
  if (well_.size() >= kMostFailed) forget_ends(now);
  if (well_.size() < kMostFailed || well_.contains(top)) well_.insert_or_assign(top, end);
}

void UsageLedger::forget_ends(Clock::time_point now) {
  const auto is_old = [now](const auto& ended) { return now - ended.second.time > kOverBy; };
  std::erase_if(failed_, is_old);
  std::erase_if(well_, is_old);
}

bool UsageLedger::is_seen(const Cgroup& cgroup, Clock::time_point now) const {
  return !unseen_ || cgroup.since > *unseen_ || now - *unseen_ > kOverBy;
}

// What systemd ends because of a failure ends badly as well, so the first one counts.
void UsageLedger::end_service(const Cgroup& cgroup, CgroupNames& names, Clock::time_point now) {
  const CgroupNaming& naming = *cgroup.naming;
  forget_ends(now);
  EndedService service{.of = ended_of(naming), .end = {}};
  const auto [first, last] = failed_.equal_range(naming.top);
  const auto failed = std::find_if(first, last, [&](const auto& entry) {
    const stats::ProcessEnd& end = entry.second;
    return end.oom || !names.is_success(naming.name.workload, end.status);
  });
  const auto well = well_.extract(naming.top);
  if (failed != last) {
    service.end = std::move(failed->second);
  } else if (is_seen(cgroup, now)) {
    if (!well.empty()) service.end = well.mapped();
    // The unit's own rule has made a success of these.
    if (first != last && (!service.end || service.end->time <= std::prev(last)->second.time))
      service.end = std::move(std::prev(last)->second);
    service.success = service.end.has_value();
  }
  failed_.erase(first, last);
  ends_.services.push_back(std::move(service));
}

UsageLedger::Turns UsageLedger::take_turns(stats::UsageSource& source, CgroupNames& names,
                                           Clock::time_point now) {
  take_events(source, now);
  Turns out;
  std::unordered_set<std::string> tops;
  for (const Turn& turn : std::exchange(turns_, {})) {
    const auto known = cgroups_.find(turn.id);
    // A question without a path would get an answer for good.
    if (known == cgroups_.end() || known->second.path.empty()) continue;
    auto& cgroup = *known;
    ask(cgroup, names, now);
    const auto& naming = cgroup.second.naming;
    if (!naming || naming->top.empty()) continue;
    if (turn.process) {
      take_process_turn(cgroup.second, *turn.process, now);
      continue;
    }
    // For a unit it is some sandbox's first process, not the unit's own.
    if (turn.began && is_container(naming->name.kind)) out.began.push_back({naming->top, *turn.began});
    if (turn.began || !naming->complete) continue;
    // A cgroup below the workload's own may be empty while others there go on; once the last of them is, the workload's
    // own is reported.
    if (!turn.first && naming->top != cgroup.second.path) continue;
    if (!turn.first && is_service(naming->name)) end_service(cgroup.second, names, now);
    if (tops.insert(naming->top).second) out.ended.push_back({naming->name, naming->top});
  }
  return out;
}

// The next cgroup that counts looks for its workload anew, since that may be forgotten by then.
void UsageLedger::leave(Cgroup& cgroup) {
  tops_changed_ = tops_changed_ || cgroup.is_top;
  cgroup.is_top = false;
  cgroup.workload = nullptr;
}

void UsageLedger::set_gone(Cgroup& cgroup, Clock::time_point now) {
  cgroup.gone = now;
  tops_changed_ = tops_changed_ || cgroup.is_top;
}

Status UsageLedger::walk(CgroupNames& names, Clock::time_point now) {
  std::unordered_set<std::uint64_t> there;
  FTAP_TRY(names.walk([&](std::uint64_t id, std::string path) {
    there.insert(id);
    note({.id = id, .gone = false, .path = std::move(path)}, now);
  }));
  missed_ = false;
  for (auto& [id, cgroup] : cgroups_) {
    if (cgroup.group || cgroup.gone) continue;
    cgroup.at_rest = names.has_processes(cgroup.path);
    if (!cgroup.at_rest) leave(cgroup);
  }
  // Whoever sees only a part of the tree cannot know that any of them is gone.
  if (!there.contains(kRoot)) return {};
  for (auto& [id, cgroup] : cgroups_)
    if (!there.contains(id) && !cgroup.gone) set_gone(cgroup, now);
  return {};
}

void UsageLedger::ask(Cgroups::value_type& cgroup, CgroupNames& names, Clock::time_point now) {
  auto& [id, it] = cgroup;
  const bool open = !it.naming || (!it.naming->complete && !it.gone && now - it.since < kPatience);
  if (open) it.naming = it.path.empty() ? CgroupNaming{} : names.name(id, it.path);
}

Workload& UsageLedger::workload_of(Cgroup& cgroup) {
  if (cgroup.workload == nullptr) {
    cgroup.workload = &workloads_[cgroup.naming->name];
    if (cgroup.workload->labels.empty()) cgroup.workload->labels = cgroup.naming->name.labels();
  }
  return *cgroup.workload;
}

void UsageLedger::add(Cgroup& cgroup, const stats::GroupUsage& now) {
  workload_of(cgroup).usage += since(now, cgroup.counted);
  cgroup.counted = most(cgroup.counted, now);
}

void UsageLedger::note_living(Clock::time_point now) {
  // Most cgroups have nothing new, and there may be thousands.
  if (tops_changed_)
    for (auto& [name, workload] : workloads_) {
      workload.tops.clear();
      workload.instances.clear();
    }
  for (auto& [id, cgroup] : cgroups_) {
    if (!cgroup.counts() || !cgroup.settled(now)) continue;
    Workload& workload = workload_of(cgroup);
    workload.last = now;
    if (cgroup.gone || cgroup.naming->top.empty() || (cgroup.is_top && !tops_changed_)) continue;
    workload.tops.insert(cgroup.naming->top);
    if (!cgroup.naming->id.empty())
      workload.instances.insert_or_assign(cgroup.naming->top, instance_of(workload, *cgroup.naming));
    cgroup.is_top = true;
  }
  tops_changed_ = false;
}

void UsageLedger::forget_old(Clock::time_point now) {
  std::erase_if(workloads_, [&](const auto& entry) { return now - entry.second.last > keep_; });
  std::vector<std::pair<Clock::time_point, WorkloadName>> ended;
  for (const auto& [name, workload] : workloads_)
    if (workload.last != now) ended.emplace_back(workload.last, name);
  if (ended.size() <= kMostEnded) return;
  const auto last = ended.begin() + static_cast<std::ptrdiff_t>(ended.size() - kMostEnded);
  std::ranges::nth_element(ended, last);
  for (auto at = ended.begin(); at != last; ++at) workloads_.erase(at->second);
  forgotten_ += ended.size() - kMostEnded;
}

std::size_t UsageLedger::numbered() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cgroups_, [](const auto& cgroup) { return cgroup.second.group.has_value(); }));
}

void UsageLedger::tell_ends(Cgroup& cgroup, CgroupNames& names) {
  // The first process of a PID namespace need not be the container's, for example in a container that has the node's
  // namespace: then others go on.
  if (cgroup.ended && (cgroup.gone || !names.has_processes(cgroup.path)))
    ends_.containers.push_back({ended_of(*cgroup.naming), *std::exchange(cgroup.ended, std::nullopt)});
  if (cgroup.oom_kills > 0)
    ends_.oom_kills.push_back(
        {ended_of(*cgroup.naming), std::exchange(cgroup.oom_kills, 0), std::move(cgroup.last_kill)});
}

Status UsageLedger::round(stats::UsageSource& source, CgroupNames& names, Clock::time_point now) {
  // This comes before the events. A cgroup is made before one of its tasks is given a CPU, so the events tell of all
  // that are here.
  FTAP_TRY_ASSIGN(numbered, source.numbered());
  take_events(source, now);
  for (const auto& [id, group] : numbered) {
    const auto [at, fresh] = cgroups_.try_emplace(id, now);
    at->second.group = group;
    missed_ = missed_ || fresh;
  }
  // What is known goes on where the walk fails, for example because there are too many.
  if (missed_ && !walk(names, now)) ++failed_walks_;

  for (auto at = cgroups_.begin(); at != cgroups_.end();) {
    Cgroup& cgroup = at->second;
    if (cgroup.counts() || cgroup.oom_kills > 0) ask(*at, names, now);
    if (cgroup.group && cgroup.settled(now)) add(cgroup, source.read(*cgroup.group));
    if (cgroup.settled(now)) tell_ends(cgroup, names);
    if (!cgroup.gone || now - *cgroup.gone < kGrace) {
      ++at;
      continue;
    }
    if (cgroup.group) add(cgroup, source.release({at->first, *cgroup.group}));
    at = cgroups_.erase(at);
  }
  if (const stats::GroupUsage rest = source.unnumbered(); rest != stats::GroupUsage{}) {
    Workload& unknown = workloads_[WorkloadName{}];
    if (unknown.labels.empty()) unknown.labels = WorkloadName{}.labels();
    unknown.usage += since(rest, unnumbered_);
    unknown.last = now;
    unnumbered_ = most(unnumbered_, rest);
  }
  note_living(now);
  forget_old(now);
  return {};
}

}  // namespace flowtap::telemetry
