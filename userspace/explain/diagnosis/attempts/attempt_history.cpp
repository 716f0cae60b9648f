#include "explain/diagnosis/attempts/attempt_history.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/printable.hpp"

namespace flowtap::diagnosis {
namespace {

using Status = Diagnosis::Status;

std::size_t bytes_of(const OldAttempt& old) {
  return sizeof(OldAttempt) + old.says.scheduler.size() + old.says.summary.size();
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
          .times = attempt.times()};
}

void AttemptHistory::add(const Attempt& attempt, const Fact& next) {
  if (attempt.is_of_other_pod(next)) {
    *this = AttemptHistory();
    born_ = next.time;
    return;
  }
  if (kept_.empty()) begun_ = attempt.first();
  if (kept_.size() == kMost) {
    bytes_ -= bytes_of(kept_.front());
    dropped_ += kept_.front().times;
    kept_.erase(kept_.begin());
  }
  kept_.push_back(in_short(attempt));
  bytes_ += bytes_of(kept_.back());
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
