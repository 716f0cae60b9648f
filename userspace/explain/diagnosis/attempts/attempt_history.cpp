#include "explain/diagnosis/attempts/attempt_history.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/printable.hpp"

namespace flowtap::diagnosis {
namespace {

using Status = Diagnosis::Status;

// A pod is not tried again within that time, so two such records are one: a collector keeps coarser times than klog.
constexpr std::int64_t kSameMicros = 1000;

bool is_same(const flow::KlogTime& one, const flow::KlogTime& other) {
  return one && other && std::abs(flow::micros_between(one, other)) <= kSameMicros;
}

// Nobody has said yet how it went.
bool is_open(const OldAttempt& old) {
  return !old.time.closed && old.says.status == Status::kPending;
}

std::size_t bytes_of(const OldAttempt& old) {
  return sizeof(OldAttempt) + old.says.scheduler.size() + old.says.summary.size();
}

// All that this one fact says of an attempt.
OldAttempt in_short(const Fact& fact, SharedTexts& texts) {
  Attempt attempt;
  attempt.add(fact, CardPlaces(), texts);
  return diagnosis::in_short(attempt);
}

/// Attempts that are over, oldest first.
struct PastAttempts {
  std::vector<OldAttempt> kept;
  std::size_t dropped = 0;

  [[nodiscard]] std::size_t told() const {
    std::size_t sum = 0;
    for (const OldAttempt& old : kept) sum += old.times;
    return sum;
  }
  [[nodiscard]] std::size_t all() const { return told() + dropped; }
  OldAttempt take_newest() {
    OldAttempt out = std::move(kept.back());
    kept.pop_back();
    return out;
  }
};

/// The past attempts of one scheduler, without those of an earlier pod of the same name.
PastAttempts past_of(const Told& told, bool over, const flow::KlogTime& born) {
  PastAttempts out{.kept = told.history.kept(), .dropped = told.history.dropped()};
  if (over) out.kept.push_back(in_short(told.attempt));
  const auto is_of_other = [&](const OldAttempt& old) { return flow::is_earlier(old.time.last, born); };
  if (std::erase_if(out.kept, is_of_other) > 0) out.dropped = 0;
  return out;
}

/// Joins what two schedulers say of one attempt, by the same rules as for its phases (see PodAttempts).
OldAttempt of_both(OldAttempt device, OldAttempt generic) {
  const bool same = device.says.status == generic.says.status;
  const bool later = !flow::is_earlier(device.time.last, generic.time.last);
  const bool is_device = same                                      ? !device.says.summary.empty()
                         : device.says.status == Status::kPending  ? false
                         : generic.says.status == Status::kPending ? true
                                                                   : later;
  if (is_device) generic.says = std::move(device.says);
  generic.times = std::max(generic.times, device.times);
  return generic;
}

/// Joins an extender's attempts with the main scheduler's attempts in which it was asked.
PastAttempts of_both(PastAttempts device, PastAttempts generic) {
  PastAttempts out;
  while (!device.kept.empty() && !generic.kept.empty()) {
    const AttemptOrder order = order_of(device.kept.back().time, generic.kept.back().time);
    out.kept.push_back(order == AttemptOrder::kDeviceOlder ? generic.take_newest()
                       : order == AttemptOrder::kGenericOlder
                           ? device.take_newest()
                           : of_both(device.take_newest(), generic.take_newest()));
  }
  // The attempts that are left over on one side are those that the other side has dropped, as far as it has dropped any.
  PastAttempts& rest = device.kept.empty() ? generic : device;
  out.dropped = std::max(device.all(), generic.all()) - rest.told();
  while (!rest.kept.empty()) out.kept.push_back(rest.take_newest());
  std::ranges::reverse(out.kept);
  return out;
}

/// Joins the attempts of two main schedulers: each attempt belongs to only one of them.
PastAttempts of_each(PastAttempts one, PastAttempts other) {
  PastAttempts out{.kept = {}, .dropped = one.dropped + other.dropped};
  const auto before = [](const OldAttempt& a, const OldAttempt& b) {
    return flow::is_earlier(a.time.last, b.time.last);
  };
  std::ranges::merge(std::make_move_iterator(one.kept.begin()), std::make_move_iterator(one.kept.end()),
                     std::make_move_iterator(other.kept.begin()), std::make_move_iterator(other.kept.end()),
                     std::back_inserter(out.kept), before);
  return out;
}

}  // namespace

OldAttempt in_short(const Attempt& attempt) {
  const Diagnosis all = attempt.in_short();
  const bool at_bind = all.bind.verdict != Verdict::kNone;
  return {.says = {.time = all.last,
                   .scheduler = all.scheduler,
                   .status = all.status,
                   .at_bind = at_bind,
                   .summary = std::string(beginning_of(at_bind ? all.bind.summary : all.filter.summary,
                                                       AttemptHistory::kLongestSummary))},
          .time = attempt.time(),
          .times = attempt.times(),
          .found_node = all.filter.verdict == Verdict::kPassed};
}

void AttemptHistory::add(const Attempt& attempt, const Fact& next) {
  if (attempt.is_of_other_pod(next))
    forget_before(next.time);
  else
    put(kept_.size(), in_short(attempt), attempt.first());
}

void AttemptHistory::forget_before(flow::KlogTime born) {
  *this = AttemptHistory();
  born_ = born;
}

void AttemptHistory::put(std::size_t place, OldAttempt old, const flow::KlogInstant& first) {
  if (place == 0 && (kept_.empty() || (first && begun_ && *first < *begun_))) begun_ = first;
  bytes_ += bytes_of(old);
  kept_.insert(kept_.begin() + static_cast<std::ptrdiff_t>(place), std::move(old));
  if (kept_.size() > kMost) drop_oldest();
}

void AttemptHistory::drop_oldest() {
  if (is_open(kept_.front())) dropped_open_ = kept_.front().time.first;
  bytes_ -= bytes_of(kept_.front());
  dropped_ += kept_.front().times;
  kept_.erase(kept_.begin());
}

// A pod that was bound is not placed again, so what comes then is about another pod.
void AttemptHistory::forget_until(std::size_t place, flow::KlogTime born) {
  for (; place > 0; --place) drop_oldest();
  dropped_ = 0;
  dropped_open_ = {};
  begun_ = {};
  born_ = born;
}

// Such an attempt was counted when it began.
bool AttemptHistory::is_of_dropped(const Fact& verdict) {
  if (!dropped_open_ || flow::is_earlier(verdict.time, dropped_open_)) return false;
  dropped_open_ = {};
  return true;
}

void AttemptHistory::decide(OldAttempt& old, OldAttempt late, const Fact& fact) {
  bytes_ -= bytes_of(old);
  if (fact.by.empty()) late.says.scheduler = std::move(old.says.scheduler);
  if (fact.kind == FactKind::kPhaseFailed && old.found_node) late.says.at_bind = true;
  old.says = std::move(late.says);
  old.times = std::max(old.times, late.times);
  old.found_node = old.found_node || late.found_node;
  old.time.last = late.time.last;
  old.time.closed = late.time.closed;
  bytes_ += bytes_of(old);
}

// False: it says nothing that is not known.
bool AttemptHistory::take_late(std::size_t place, const AttemptTime& after, const Fact& fact,
                               SharedTexts& texts) {
  OldAttempt* const before = place > 0 ? &kept_[place - 1] : nullptr;
  const bool begins = fact.kind == FactKind::kAttempt;
  if (!begins && before != nullptr && is_open(*before)) {
    decide(*before, in_short(fact, texts), fact);
    return true;
  }
  if (begins) {
    // Otherwise another program has told of that attempt, and not of its beginning.
    if (!after.begin_said || (before != nullptr && is_same(before->time.first, fact.time))) return false;
  } else {
    if (!is_verdict(fact.kind) || !fact.scheduler->verdict_ends) return false;
    if (before != nullptr ? is_same(before->time.last, fact.time) : is_of_dropped(fact)) return false;
  }
  OldAttempt late = in_short(fact, texts);
  if (!begins && before != nullptr) late.time.since = before->time.last;
  put(place, std::move(late), fact.instant);
  return true;
}

void AttemptHistory::add_late(const Fact& fact, Attempt& latest, SharedTexts& texts) {
  const bool ends = is_verdict(fact.kind);
  if (!ends && fact.kind != FactKind::kAttempt && fact.kind != FactKind::kFilterPassed) return;
  const std::string_view uid = fact[Field::kUid];
  const bool is_of_other = !uid.empty() && !latest.uid().empty() && uid != latest.uid();
  if (is_of_other || flow::is_earlier(fact.time, born_)) return;

  std::size_t place = kept_.size();
  while (place > 0 && flow::is_earlier(fact.time, kept_[place - 1].time.first)) --place;
  const AttemptTime& after = place < kept_.size() ? kept_[place].time : latest.time();
  if (is_same(after.first, fact.time)) return;
  if (fact.kind == FactKind::kBound || fact.kind == FactKind::kAssigned)
    return forget_until(place, after.first);
  if (!take_late(place, after, fact, texts) || !ends) return;
  // An extender that is asked in the attempt after it is asked after this.
  const auto next = std::ranges::find_if(
      kept_, [&](const OldAttempt& old) { return flow::is_earlier(fact.time, old.time.first); });
  if (next != kept_.end())
    next->time.begins_after(fact.time);
  else
    latest.begins_after(fact.time);
}

AttemptOrder order_of(const AttemptTime& device, const AttemptTime& generic) {
  if (flow::is_earlier(device.first, generic.since)) return AttemptOrder::kDeviceOlder;
  if (generic.closed && flow::is_earlier(generic.last, device.first)) return AttemptOrder::kGenericOlder;
  return AttemptOrder::kSame;
}

void tell_history(Diagnosis& diagnosis, std::span<const Told* const> told, std::span<const Told* const> now) {
  flow::KlogTime born;
  for (const Told* one : told)
    if (!born || flow::is_earlier(born, one->history.born())) born = one->history.born();
  const auto past = [&](const Told& one) {
    return past_of(one, std::ranges::find(now, &one) == now.end(), born);
  };
  PastAttempts all;
  for (const Told* one : told)
    if (!one->extends()) all = of_each(std::move(all), past(*one));
  for (const Told* one : told)
    if (one->extends()) all = of_both(past(*one), std::move(all));
  std::size_t times = 1;
  for (const Told* one : now) times = std::max(times, one->attempt.times());
  diagnosis.attempt = all.all() + times;
  while (!all.kept.empty() && diagnosis.history.size() < AttemptHistory::kMost)
    diagnosis.history.push_back(all.take_newest().says);
}

}  // namespace flowtap::diagnosis
