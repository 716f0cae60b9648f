#include "explain/diagnosis/scheduler_log.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <ranges>
#include <utility>

#include "base/printable.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "stream/lines/klog/klog_time.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kNumas = "the NUMA-aware scheduler";
constexpr std::string_view kDefaultProfile = "default-scheduler";  // which everybody calls kube-scheduler

// Only its plugin says these of a pod.
bool is_of_numa_plugin(const Fact& fact) {
  switch (fact.kind) {
    case FactKind::kAligns:
    case FactKind::kAlignFails:
    case FactKind::kNodeLacks:
    case FactKind::kCellFits:
    case FactKind::kCellFails:
    case FactKind::kCellsSpared:
      return true;
    case FactKind::kPhaseFailed:
      return fact[Field::kSummary].contains(" cannot align ");
    default:
      return false;
  }
}

bool is_of_volcano(const Fact& fact) {
  if (fact.kind == FactKind::kWaits) return fact[Field::kReason] == kWaitsForGang;
  return (fact.kind == FactKind::kPhaseFailed || fact.kind == FactKind::kFilterFailed) &&
         is_volcanos(fact[Field::kSummary]);
}

// Whether a scheduler that places pods may say it without the pod, of the one that it tries: plugins and extenders do. A record
// of any other kind has the pod. If it has none, its line is cut, and it may be about any pod, for binds run beside each other.
bool may_lack_pod(FactKind kind) {
  switch (kind) {
    case FactKind::kNodeFails:
    case FactKind::kDryRun:
    case FactKind::kSkips:
    case FactKind::kSkipsForRoom:
    case FactKind::kSkipsAtBind:
      return true;
    default:
      return false;
  }
}

// The pod's name is in the part of the record that is cut off.
bool is_cut(const Fact& fact) {
  return fact.scheduler->role == Scheduler::Role::kMain && fact.name.empty() && !may_lack_pod(fact.kind);
}

// Only its plugin has these files.
bool is_numa_file(std::string_view source) {
  constexpr std::array<std::string_view, 4> kFiles = {
      "overreserve.go:", "foreign_pods.go:", "podprovider.go:", "pfpstatus.go:"};
  source.remove_prefix(source.rfind('/') + 1);  // npos + 1 is 0
  // Each record is asked, and most differ in the first letter.
  const auto is_it = [source](std::string_view file) {
    return source.size() >= file.size() && source.front() == file.front() && source.starts_with(file);
  };
  return std::ranges::any_of(kFiles, is_it);
}

}  // namespace

void SchedulerLog::read(const flow::WholeRecord& record) {
  counts_.cut += record.cut ? 1 : 0;
  if (!record.klog) {
    ++counts_.malformed;
    return;
  }
  read_source(*record.klog);
  const auto facts = parser_.parse(*record.klog, record.text);
  ++(facts.empty() ? counts_.others : counts_.telling);
  if (facts.empty()) return;
  const flow::KlogInstant instant = flow::klog_instant(*record.klog, record.time);
  const std::string_view line = beginning_of(record.text, kLongestLine);
  for (Fact& fact : facts) {
    fact.instant = instant;
    fact.line = line;
    fact.by = name_for(fact);
    add(fact);
  }
}

// At its start a scheduler shows its configuration. A pod asks for a profile by its name.
void SchedulerLog::read_source(const flow::KlogRecord& record) {
  is_numas_ = is_numas_ || is_numa_file(record.source);
  if (record.message != "Using component config") return;
  constexpr std::string_view kName = "schedulerName: ";
  profile_.clear();
  has_several_ = false;
  std::string_view rest = record.body;
  for (std::size_t at = 0; (at = rest.find(kName)) != std::string_view::npos;) {
    rest.remove_prefix(at + kName.size());
    const std::string_view name =
        rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-"));
    has_several_ = has_several_ || !profile_.empty();
    if (flow::is_dns_subdomain(name)) profile_ = name;
  }
  if (has_several_) profile_.clear();
}

std::string_view SchedulerLog::name_for(const Fact& fact) {
  if (fact.scheduler->role != Scheduler::Role::kMain || profile_ == kDefaultProfile) return {};
  if (!profile_.empty()) return profile_;
  if (is_of_volcano(fact)) return "Volcano";
  const bool numas = is_of_numa_plugin(fact);
  is_numas_ = is_numas_ || numas;
  if (numas || (is_numas_ && !has_several_)) return kNumas;
  return has_several_ ? kOneOfSeveral : std::string_view();
}

void SchedulerLog::add(Fact& fact) {
  fact.log = log_;
  if (fact.kind == FactKind::kCards || fact.kind == FactKind::kCardsThere)
    return places_.add(fact[Field::kNode], fact[Field::kCards], fact[Field::kVendor]);
  if (fact.kind == FactKind::kBindEnds) return end_binds(fact);
  const bool makes_room = fact.kind == FactKind::kVictim || fact.kind == FactKind::kDisplaces;
  if (!fact.group.empty() && makes_room) tell_victim(fact);
  if (!fact.group.empty() && fact.pod.name.empty()) return;
  if (fact.kind == FactKind::kRoomFails && !tell_room(fact)) return;
  const flow::FlowKey key = pod_of(fact);
  if (key.name.empty()) return hold(fact);
  if (fact.kind == FactKind::kFilterFailed || fact.kind == FactKind::kPhaseFailed) {
    const auto error = parse_fit_error(beginning_of(fact[Field::kSummary], Attempt::kLongestSummary));
    const bool has_node = error && work(fact).cluster.is_of_chosen_node(*error);
    if (has_node)
      fact.kind = FactKind::kBindFailed;
    else
      give_held(key, fact, error);
  }
  add(key, fact);
  if (makes_room && fact.group.empty()) tell_victim(fact);
}

// The line is about the pod, or the group, for which the other one is ended.
void SchedulerLog::tell_victim(const Fact& fact) {
  const std::string_view victim = fact[Field::kPod];
  const std::size_t slash = std::min(victim.find('/'), victim.size());
  const flow::FlowKey key{.ns = victim.substr(0, slash),
                          .name = victim.substr(std::min(slash + 1, victim.size()))};
  if ((fact.pod.name.empty() && fact.group.empty()) || !flow::is_dns_label(key.ns) ||
      !flow::is_dns_subdomain(key.name))
    return;
  std::string preemptor(fact.group);
  if (preemptor.empty()) fact.pod.put(preemptor);
  const std::string says = "preempted by " + preemptor;
  Fact told = fact;
  told.kind = fact.kind == FactKind::kVictim ? FactKind::kPreempted : FactKind::kDisplaced;
  told.at(Field::kPod) = preemptor;
  told.at(Field::kSummary) = says;
  add(key, told);
}

// Several pods may have room made for them at the same time. If two errors were said since the last end, nobody knows whose each
// is. False: the fact says nothing of a pod yet.
bool SchedulerLog::tell_room(Fact& fact) {
  auto& [error, several] = work(fact).room_error;
  const std::string_view said = fact[Field::kError];
  if (!fact.pod.name.empty() && !said.empty()) return true;
  if (fact.pod.name.empty()) {
    several = !error.empty();
    error = said;
    return false;
  }
  told_error_ = several ? std::string() : std::exchange(error, {});
  fact.at(Field::kError) = told_error_;
  return !told_error_.empty();
}

// Up to 2024 the NUMA-aware scheduler's plugin says this about a node without naming the pod, and at -v=2 nobody says which pod
// is tried.
void SchedulerLog::hold(const Fact& fact) {
  if (fact.kind == FactKind::kSkipsForRoom) work(fact).skipped = fact[Field::kError];
  auto& held = work(fact).held;
  if (!fact.scheduler->counts_nodes || fact.kind != FactKind::kNodeFails ||
      fact[Field::kReason] != kInvalidData || held.size() >= kMostHeld)
    return;
  if (const std::string_view node = fact[Field::kNode]; !node.empty()) held[std::string(node)] = fact.line;
}

// All nodes that failed for this pod are among the held ones. If a pod was bound meanwhile, some may be that pod's. If the
// verdict counts exactly as many, they are all this pod's.
void SchedulerLog::give_held(const flow::FlowKey& pod, const Fact& verdict,
                             const std::optional<FitError>& error) {
  const Pod own{.ns = std::string(pod.ns), .name = std::string(pod.name)};
  if (const std::string skipped = std::exchange(work(verdict).skipped, {}); !skipped.empty()) {
    Fact skips = verdict;
    skips.kind = FactKind::kSkipsForRoom;
    skips.values = {};
    skips.at(Field::kError) = skipped;
    add(own.key(), skips);
  }
  if (!error) return;
  const auto held = std::exchange(work(verdict).held, {});
  if (held.empty() || held.size() >= kMostHeld) return;
  const auto count = std::ranges::find(error->reasons, kInvalidTopology, &NodesReason::reason);
  if (count == error->reasons.end() || count->nodes != held.size()) return;
  Fact fails = verdict;
  fails.kind = FactKind::kNodeFails;
  fails.values = {};
  fails.at(Field::kReason) = kInvalidTopology;
  for (const auto& [node, line] : held) {
    fails.at(Field::kNode) = node;
    fails.line = line;
    add(own.key(), fails);
  }
}

void SchedulerLog::add(const flow::FlowKey& key, const Fact& fact) {
  const Pod pod{.ns = std::string(key.ns),
                .name = std::string(key.name)};  // note() may end what the key views
  note(pod.key(), fact);
  const auto decided = store_->add(pod.key(), fact, places_);
  ++counts_.outcomes.at(static_cast<std::size_t>(decided.outcome));
  for (const std::string_view reason : decided.reasons) ++counts_.failures[reason];
  if (!decided.took) return;
  const auto ns = static_cast<std::uint64_t>(decided.took->count());
  ++counts_.took.at(ns > 1 ? static_cast<std::size_t>(std::bit_width(ns - 1)) : 0);
  counts_.took_in_all += *decided.took;
}

// The pod of this end is known only if no other bind is open. If as many binds have ended as are open, all of them have.
void SchedulerLog::end_binds(const Fact& fact) {
  Work& work = this->work(fact);
  const auto to_end = [](const Binding& binding) { return binding.to_end; };
  const auto open = std::ranges::count_if(work.bindings, to_end);
  if (open == 0 || !std::cmp_equal(++work.ended, open)) return;
  work.ended = 0;
  std::vector<Pod> bound;
  for (const Binding& binding : work.bindings)
    if (binding.to_end && !binding.failed) bound.push_back(binding.pod);
  std::erase_if(work.bindings, to_end);
  Fact of_one = fact;
  of_one.kind = FactKind::kBound;
  for (const Pod& pod : bound) add(pod.key(), of_one);
}

const SchedulerLog::Binding* SchedulerLog::binding_of(const Fact& fact) {
  const Binding* found = nullptr;
  for (const Binding& binding : work(fact).bindings) {
    if (!fact.name.empty() && binding.pod.name != fact.name) continue;
    if (const std::string_view node = fact[Field::kNode]; !node.empty() && binding.node != node) continue;
    if (found != nullptr) return nullptr;
    found = &binding;
  }
  return found;
}

flow::FlowKey SchedulerLog::pod_of(const Fact& fact) {
  if (!fact.pod.name.empty()) return fact.pod;
  if (is_cut(fact)) {
    // What comes next without a pod is about one that nobody knows.
    if (fact.kind == FactKind::kAttempt) work(fact).current = {};
    return {};
  }
  if (fact.kind == FactKind::kBound || fact.kind == FactKind::kBindFailed ||
      fact.kind == FactKind::kSkipsAtBind) {
    const Binding* binding = binding_of(fact);
    // A bind that goes on without the node's lock has not failed because of it.
    return binding != nullptr && !binding->to_end ? binding->pod.key() : flow::FlowKey{};
  }
  const Pod& current = work(fact).current;
  if (!fact.name.empty() && fact.name != current.name) return {};
  return current.key();
}

// One of the ends that were said may be this bind's, so one end fewer is left for the others.
void SchedulerLog::forget_binding(const flow::FlowKey& pod, const Fact& fact) {
  Work& work = this->work(fact);
  const auto of_pod = [&](const Binding& binding) { return binding.pod.key() == pod; };
  const auto open = std::ranges::find_if(work.bindings, of_pod);
  if (open == work.bindings.end()) return;
  if (open->to_end && work.ended > 0) --work.ended;
  work.bindings.erase(open);
}

void SchedulerLog::note(const flow::FlowKey& pod, const Fact& fact) {
  auto& [current, bindings, ended, held, skipped, room_error, cluster] = work(fact);
  const auto of_pod = [&](const Binding& binding) { return binding.pod.key() == pod; };
  switch (fact.kind) {
    case FactKind::kAttempt:
      current = {.ns = std::string(pod.ns), .name = std::string(pod.name)};
      forget_binding(pod, fact);
      break;
    case FactKind::kFilterPassed:
    case FactKind::kFilterFailed:
      if (current.key() == pod) current = {};
      break;
    case FactKind::kPhaseFailed:
      if (current.key() == pod) current = {};
      if (const auto open = std::ranges::find_if(bindings, of_pod); open != bindings.end() && !open->to_end)
        bindings.erase(open);
      break;
    case FactKind::kBinding:
    case FactKind::kBindingToEnd:
      forget_binding(pod, fact);
      if (bindings.size() == kMostBindings) {
        if (bindings.front().to_end && ended > 0) --ended;
        bindings.erase(bindings.begin());
      }
      bindings.push_back({{std::string(pod.ns), std::string(pod.name)},
                          std::string(fact[Field::kNode]),
                          fact.kind == FactKind::kBindingToEnd,
                          false});
      break;
    case FactKind::kBindFailed:
      if (current.key() == pod) current = {};
      if (const auto open = std::ranges::find_if(bindings, of_pod); open != bindings.end() && open->to_end) {
        open->failed = true;
        break;
      }
      [[fallthrough]];
    case FactKind::kBound:
      forget_binding(pod, fact);
      break;
    default:
      break;
  }
}

}  // namespace flowtap::diagnosis
