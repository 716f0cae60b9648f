// What becomes of a pod beside the verdicts on it: it waits with its node, is held back, ended for another pod, or deleted.
#include <algorithm>
#include <utility>

#include "explain/diagnosis/attempts/attempt.hpp"

namespace flowtap::diagnosis {
namespace {

// What a scheduler says of a pod that gets its node may come after the informers have told of it.
bool is_of_bind(FactKind kind) {
  return kind == FactKind::kNodeFits || kind == FactKind::kBinding || kind == FactKind::kBound;
}

}  // namespace

// Neither a pod that was bound nor one that was deleted is placed again.
bool Attempt::is_of_other_pod(const Fact& next) const {
  return bind_.says.verdict == Verdict::kPassed || (has_node_ && !is_of_bind(next.kind)) ||
         (life_.over() && !comes_back(next)) || has_other_uid(next);
}

bool Attempt::has_other_uid(const Fact& fact) const {
  const std::string_view uid = fact[Field::kUid];
  const std::string& known = uid_.empty() ? uid_before_ : uid_;
  return !uid.empty() && !known.empty() && uid != known;
}

// kube-scheduler's own line that an attempt begins has no uid, and a plugin's lines behind it have one.
bool Attempt::turns_out_of_other_pod(const Fact& fact) const {
  return heard_ && uid_.empty() && fact.kind != FactKind::kAdded && !is_old(fact) && !begins(fact) &&
         has_other_uid(fact);
}

void Attempt::forget_other_pod() {
  if (carried_) forget_room();
  for (const Note& one : std::exchange(notes_, {})) bytes_ -= sizeof(Note) + one.by.size() + one.says.size();
  keep_always(uid_before_, {});
}

/// The fact says more of an attempt that has ended. A pod that is bound, or no more, is not held back: then it is another one.
bool Attempt::is_behind(const Fact& fact) const {
  switch (fact.kind) {
    case FactKind::kVictim:
    case FactKind::kDisplaces:
    case FactKind::kRoomFails:
    case FactKind::kRejects:
    case FactKind::kReleased:
    case FactKind::kNote:
    case FactKind::kDequeued:
    case FactKind::kHasNode:
    case FactKind::kDeleted:
    case FactKind::kGone:
    case FactKind::kPreempted:
      return true;
    case FactKind::kAssigned:
      return !life_.over();
    case FactKind::kFilterFailed:
    case FactKind::kBindFailed:
    case FactKind::kPhaseFailed:  // of the attempt in which it was deleted
      return dequeued_ && !was_closed_;
    case FactKind::kNodeFits:  // of a bind that is told after it
      return dequeued_;
    case FactKind::kHeldBack:
    case FactKind::kGated:
      return !is_of_other_pod(fact);
    default:
      return false;
  }
}

bool Attempt::is_end(const Fact& fact) const {
  return is_verdict(fact.kind) ? scheduler_->verdict_ends : life_.over();
}

// The two informers tell of a pod that gets its node in either order, and maybe before its bind is said to have succeeded.
bool Attempt::comes_back(const Fact& fact) const {
  return dequeued_ && (fact.kind == FactKind::kHasNode || fact.kind == FactKind::kBound);
}

void Attempt::come_back() {
  dequeued_ = false;
  life_.deleted = false;
  keep_always(life_.line, {});
  time_.closed = was_closed_;
}

void Attempt::tell_lifecycle(const Fact& fact) {
  switch (fact.kind) {
    case FactKind::kHasNode:
      has_node_ = true;
      break;
    case FactKind::kDequeued: {
      const bool binding = filter_.says.verdict == Verdict::kPassed &&
                           bind_.says.verdict != Verdict::kFailed && life_.waits.empty();
      if (binding || has_node_ || bind_.says.verdict == Verdict::kPassed || life_.over()) break;
      dequeued_ = true;
      was_closed_ = time_.closed;
      delete_pod(fact);
      break;
    }
    case FactKind::kDeleted:
    case FactKind::kGone:
      // It had a node, and no scheduler of these logs has said anything of that.
      if (fact.kind == FactKind::kGone && filter_.says.verdict == Verdict::kNone) has_node_ = true;
      dequeued_ = false;
      delete_pod(fact);
      break;
    case FactKind::kPreempted:
      keep_always(life_.preempted_by, fact[Field::kPod]);
      keep_always(life_.preempted_on, fact[Field::kNode]);
      keep_always(life_.line, fact.line);
      break;
    case FactKind::kWaits: {
      const std::string waits = std::exchange(life_.waits, {});
      bytes_ -= waits.size();
      reach_bind(fact);
      // A gang's plugin says more than the framework behind it.
      keep_always(life_.waits, waits == kWaitsForGroup ? std::string_view(waits) : fact[Field::kReason]);
      break;
    }
    default:
      break;
  }
}

void Attempt::delete_pod(const Fact& fact) {
  if (!std::exchange(life_.deleted, true) && life_.line.empty()) keep_always(life_.line, fact.line);
}

// The queue asks its plugins one after the other, and stops at the first one that keeps the pod out. Older versions print a status as
// the structure that it is, which says nothing. The plugin of gates says only one thing, but for their names.
void Attempt::hold_back(std::string_view plugin, std::string_view reason) {
  if (reason.starts_with('{') || reason.starts_with('&')) reason = {};
  if (plugin.empty() || plugin.size() > kLongestName) return;
  auto held = std::ranges::find(life_.held, plugin, &HeldBack::plugin);
  if (held == life_.held.end()) {
    release();
    if (!has_room(sizeof(HeldBack) + plugin.size())) return;
    bytes_ += sizeof(HeldBack) + plugin.size();
    held = life_.held.insert(life_.held.end(), HeldBack{.plugin = std::string(plugin), .reason = {}});
  }
  if (reason.empty() && held->reason.empty() && plugin == kGatesPlugin) reason = kWaitsForGates;
  if (!reason.empty()) keep(held->reason, reason);
}

// The latest word of each counts.
void Attempt::note(const Fact& fact) {
  const std::string_view by = fact[Field::kPlugins];
  if (by.empty() || by.size() > kLongestName) return;
  auto known = std::ranges::find(notes_, by, &Note::by);
  if (known == notes_.end()) {
    if (notes_.size() >= kMostNotes || !has_room(sizeof(Note) + by.size())) return;
    bytes_ += sizeof(Note) + by.size();
    known = notes_.insert(known, Note{.by = std::string(by), .says = {}});
  }
  keep(known->says, fact[Field::kReason]);
}

// In an attempt, a plugin may turn nodes down and hold the pod back afterwards.
void Attempt::release() {
  for (const HeldBack& held : std::exchange(life_.held, {})) {
    bytes_ -= sizeof(HeldBack) + held.plugin.size() + held.reason.size();
    if (untried_ && std::erase(plugins_, held.plugin) > 0) bytes_ -= sizeof(std::string) + held.plugin.size();
  }
}

// On whatever node: those that were ended for the pod before were ended for it, too.
void Attempt::nominate(const Fact& fact) {
  if (nominated_ != fact[Field::kNode]) carried_ = false;
  keep_always(nominated_, fact[Field::kNode]);
  keep_always(room_error_, {});
}

// Up to 1.31 only the lines about the victims name the node.
void Attempt::make_room(const Fact& fact) {
  const std::string_view node = fact[Field::kNode];
  if (!node.empty() && node != nominated_) {
    carried_ = false;
    keep_always(nominated_, node);
  }
  keep_always(room_error_, {});
  // One that gives up its place without having run is not ended.
  if (fact.kind == FactKind::kVictim) add_victim(fact[Field::kPod]);
}

// The scheduler says later, in words of its own, that the pod is not bound, and no longer for whom.
void Attempt::displace(const Fact& fact) {
  reach_bind(fact);
  set(bind_, Verdict::kFailed, fact);
  bind_.weight = 1;
}

// Pods that were ended before stay told.
void Attempt::fail_room(std::string_view why) {
  keep_always(nominated_, {});
  keep_always(room_error_, why);
}

void Attempt::forget_room() {
  carried_ = false;
  keep_always(nominated_, {});
  for (const std::string& victim : victims_) bytes_ -= sizeof(std::string) + victim.size();
  victims_.clear();
}

Lifecycle Attempt::lifecycle() const {
  Lifecycle out = life_;
  const bool over = bind_.says.verdict != Verdict::kNone || filter_.says.verdict == Verdict::kFailed;
  if (over || has_node_) out.waits.clear();
  return out;
}

}  // namespace flowtap::diagnosis
