#include "explain/diagnosis/attempts/attempt.hpp"

#include <algorithm>
#include <array>

#include "base/printable.hpp"
#include "explain/diagnosis/fit_error.hpp"

namespace flowtap::diagnosis {
namespace {

// kube-scheduler has tried again to make room and found no node for it. Then it gives up the one that it had.
constexpr std::string_view kNoVictims = "preemption: 0/";

constexpr std::string_view kBound = "bind success";
constexpr std::string_view kAssigned = "pod has been assigned to node";

// A filter's plugin says it of a node, whether it is asked for a verdict or only whether room could be made.
bool is_of_filter(FactKind kind) {
  return kind == FactKind::kNodeFails || (kind >= FactKind::kAligns && kind <= FactKind::kCellsSpared);
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  constexpr std::array<std::string_view, kOutcomes> kWords{"", "fits", "no_fit", "bound", "bind_failed"};
  return kWords.at(static_cast<std::size_t>(outcome));
}

bool Attempt::begins(const Fact& fact) const {
  if (!heard_ || fact.kind == FactKind::kAttempt) return true;
  if (fact.kind == FactKind::kAdded) return life_.over();
  if (!uid_.empty() && has_other_uid(fact)) return true;
  return (comes_back(fact) ? was_closed_ : time_.closed) && !is_behind(fact);
}

void Attempt::begin(const Fact& fact) {
  const bool is_new = fact.kind == FactKind::kAttempt || fact.kind == FactKind::kAdded;
  const flow::KlogTime since = is_new ? fact.time : time_.last;
  // Room is being made for the pod until it is bound, whatever attempts are between.
  std::string nominated;
  std::vector<std::string> victims;
  std::vector<Note> notes;
  std::string uid;
  if (heard_ && !is_of_other_pod(fact)) {
    uid = std::move(uid_.empty() ? uid_before_ : uid_);
    nominated = std::move(nominated_);
    victims = std::move(victims_);
    notes = std::move(notes_);
  }
  *this = Attempt();
  carried_ = !nominated.empty() || !victims.empty();
  keep_always(uid_before_, uid);
  keep_always(nominated_, nominated);
  for (const std::string& victim : victims) add_victim(victim);
  notes_ = std::move(notes);
  for (const Note& one : notes_) bytes_ += sizeof(Note) + one.by.size() + one.says.size();
  scheduler_ = fact.scheduler;
  heard_ = true;
  untried_ = true;
  time_ = {.since = since,
           .first = fact.time,
           .last = fact.time,
           .begin_said = fact.kind == FactKind::kAttempt,
           .closed = false};
  first_ = fact.instant;
}

Outcome Attempt::add(const Fact& fact, const CardPlaces& places, SharedTexts& texts) {
  if (is_old(fact)) return Outcome::kNone;
  const bool is_new = begins(fact);
  if (comes_back(fact)) come_back();
  if (is_new)
    begin(fact);
  else if (fact.kind == FactKind::kAdded)
    return Outcome::kNone;
  untried_ = untried_ && (fact.kind == FactKind::kHeldBack || fact.kind == FactKind::kGated ||
                          fact.kind == FactKind::kAdded || fact.kind == FactKind::kReleased ||
                          fact.kind == FactKind::kNote);
  // A note is no attempt, however often it was said.
  if (fact.kind != FactKind::kNote) times_ = std::max(times_, fact.times);
  const Verdict filter = filter_.says.verdict;
  const Verdict bind = bind_.says.verdict;
  log_ = fact.log;
  if (!time_.closed || !is_behind(fact)) {
    time_.last = fact.time;
    last_ = fact.instant;
  }
  if (turns_out_of_other_pod(fact)) forget_other_pod();
  if (const std::string_view uid = fact[Field::kUid]; !uid.empty()) keep_always(uid_, uid);
  const bool is_others = may_be_others(fact.kind);
  (is_others && !fact.by.empty() ? others_spoke_ : own_spoke_) = true;
  const bool names = !fact.by.empty() && !is_others && (fact.by != kOneOfSeveral || by_.empty());
  if (names && by_ != fact.by) keep_always(by_, fact.by);
  take(fact, places, texts);
  time_.closed = time_.closed || is_end(fact);
  if (bind_.says.verdict != bind)
    return bind_.says.verdict == Verdict::kPassed ? Outcome::kBound : Outcome::kBindFailed;
  if (filter_.says.verdict != filter)
    return filter_.says.verdict == Verdict::kPassed ? Outcome::kFits : Outcome::kNoFit;
  return Outcome::kNone;
}

void Attempt::take(const Fact& fact, const CardPlaces& places, SharedTexts& texts) {
  if (dry_run_ && is_of_filter(fact.kind)) return;
  switch (fact.kind) {
    case FactKind::kContainer:
      add_container(fact[Field::kContainer]);
      break;
    case FactKind::kRequests:
      read_requests(fact[Field::kRequests]);
      break;
    case FactKind::kTries:
      ++tried_;
      break;
    case FactKind::kAllocated:
      allocate(fact, places);
      break;
    case FactKind::kCardFails:
      fail_card(fact, places, texts);
      break;
    case FactKind::kNodeReason:
      add_reason(fact[Field::kReason]);
      break;
    case FactKind::kNodeFits:
      decide(fact, Verdict::kPassed, places, texts);
      break;
    case FactKind::kNodeFails:
      decide(fact, Verdict::kFailed, places, texts);
      break;
    case FactKind::kNodeUnknown:
      leave_out(fact, texts);
      break;
    case FactKind::kNodesFit:
      score_many(fact);
      break;
    case FactKind::kNodesFail:
      decide_many(fact, texts);
      break;
    case FactKind::kCellFits:
      note_cell(fact, true, texts);
      break;
    case FactKind::kCellFails:
      note_cell(fact, false, texts);
      break;
    case FactKind::kCellsSpared:
      spare_cells(fact);
      break;
    case FactKind::kAligns:
      align(fact, Verdict::kPassed, texts);
      break;
    case FactKind::kAlignFails:
    case FactKind::kNodeLacks:
      align(fact, Verdict::kFailed, texts);
      break;
    case FactKind::kDryRun:
      dry_run_ = true;
      break;
    case FactKind::kNominates:
      nominate(fact);
      break;
    case FactKind::kVictim:
    case FactKind::kDisplaces:
      make_room(fact);
      break;
    case FactKind::kRoomFails:
      fail_room(fact[Field::kError]);
      break;
    case FactKind::kSkips:
    case FactKind::kSkipsForRoom:
    case FactKind::kSkipsAtBind:
      keep_always(skipped_, fact[Field::kError]);
      break;
    case FactKind::kRejects:
      read_plugins(fact[Field::kPlugins]);
      break;
    case FactKind::kHeldBack:
      hold_back(fact[Field::kPlugins], fact[Field::kReason]);
      read_plugins(fact[Field::kPlugins]);
      break;
    case FactKind::kGated:
      hold_back(kGatesPlugin, fact[Field::kReason]);
      add_plugin(kGatesPlugin);
      break;
    case FactKind::kNote:
      note(fact);
      break;
    case FactKind::kReleased:
      release();
      break;
    case FactKind::kDisplaced:
      displace(fact);
      break;
    case FactKind::kDequeued:
    case FactKind::kHasNode:
    case FactKind::kDeleted:
    case FactKind::kGone:
    case FactKind::kPreempted:
    case FactKind::kWaits:
      tell_lifecycle(fact);
      break;
    case FactKind::kFilterPassed:
      set(filter_, Verdict::kPassed, fact);
      break;
    case FactKind::kFilterFailed:
      set(filter_, Verdict::kFailed, fact);
      break;
    case FactKind::kBinding:
    case FactKind::kBindingToEnd:
      reach_bind(fact);
      break;
    case FactKind::kBound:
    case FactKind::kAssigned:
      reach_bind(fact);
      bind_.says.verdict = Verdict::kPassed;
      bind_.time = fact.time;
      keep_always(bind_.says.summary, fact.kind == FactKind::kBound ? kBound : kAssigned);
      keep_always(bind_.says.line, fact.line);
      break;
    case FactKind::kBindFailed:
      reach_bind(fact);
      set(bind_, Verdict::kFailed, fact);
      break;
    case FactKind::kPhaseFailed:
      if (carried_ && fact[Field::kSummary].contains(kNoVictims)) forget_room();
      if (const auto why = room_error_in(fact[Field::kSummary]); !why.empty()) fail_room(why);
      set(filter_.says.verdict == Verdict::kPassed ? bind_ : filter_, Verdict::kFailed, fact);
      break;
    case FactKind::kBindEnds:  // a kBound follows for each pod that is bound by then
    case FactKind::kAttempt:
    case FactKind::kAdded:
    case FactKind::kCards:
    case FactKind::kCardsThere:
      break;
  }
}

std::string Attempt::sentence(std::string_view says, std::string_view cause) {
  std::string text(says);
  if (!cause.empty()) text.append(", ").append(cause);
  return text;
}

void Attempt::reach_bind(const Fact& fact) {
  keep_always(life_.waits, {});
  if (const std::string_view node = fact[Field::kNode]; !node.empty()) keep_always(target_, node);
  if (filter_.says.verdict != Verdict::kNone) return;
  filter_.says.verdict = Verdict::kPassed;
  filter_.time = fact.time;
  keep_always(filter_.says.line, fact.line);
}

bool Attempt::has_room(std::size_t more) {
  if (bytes_ + shared_ + more <= kMostBytes) return true;
  cut_ = true;
  return false;
}

void Attempt::keep_always(std::string& place, std::string_view text, std::size_t longest) {
  text = beginning_of(text, longest);
  bytes_ += text.size();
  bytes_ -= place.size();
  place = text;
}

void Attempt::keep(std::string& place, std::string_view text) {
  keep_always(place, {});
  if (!text.empty() && has_room(std::min(text.size(), kLongestText))) keep_always(place, text);
}

void Attempt::keep(SharedText& place, std::string_view text, SharedTexts& texts) {
  shared_ -= place.view().size();
  place = {};
  text = beginning_of(text, kLongestText);
  if (text.empty() || !has_room(text.size())) return;
  place = texts.share(text);
  shared_ += text.size();
}

void Attempt::set(Phase& phase, Verdict verdict, const Fact& fact) {
  const std::string summary = sentence(fact[Field::kSummary], fact[Field::kError]);
  if (phase.says.verdict == verdict && (summary.empty() || fact.weight < phase.weight)) return;
  phase.says.verdict = verdict;
  phase.time = fact.time;
  phase.weight = fact.weight;
  keep_summary(phase, summary);
  keep_always(phase.says.line, fact.line);
}

// What is left out is marked, since it may have counted nodes.
void Attempt::keep_summary(Phase& phase, std::string_view text) {
  phase.cut = text.size() > kLongestSummary;
  if (!phase.cut) return keep_always(phase.says.summary, text, kLongestSummary);
  const std::string_view kept = beginning_of(text, kLongestSummary - kCutOff.size());
  keep_always(phase.says.summary, std::string(kept).append(kCutOff), kLongestSummary);
}

}  // namespace flowtap::diagnosis
