#include "diagnosis/pod_attempts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "diagnosis/lacks.hpp"

namespace flowtap::diagnosis {
namespace {

// Two words on one phase: the later one, and where they say the same the device-aware scheduler's sentence, which says more.
PhaseVerdict of_both(const PhaseVerdict& device, const flow::KlogTime& said, const PhaseVerdict& generic,
                     const flow::KlogTime& said_too) {
  if (device.verdict == generic.verdict) return device.summary.empty() ? generic : device;
  if (device.verdict == Verdict::kNone) return generic;
  if (generic.verdict == Verdict::kNone) return device;
  return flow::is_earlier(said_too, said) ? device : generic;
}

std::vector<NodeVerdict> of_both(std::vector<NodeVerdict> device, std::vector<NodeVerdict> generic) {
  std::vector<NodeVerdict> out;
  // Of equal names the first range's are taken.
  std::ranges::set_union(std::make_move_iterator(device.begin()), std::make_move_iterator(device.end()),
                         std::make_move_iterator(generic.begin()), std::make_move_iterator(generic.end()),
                         std::back_inserter(out), {}, &NodeVerdict::name, &NodeVerdict::name);
  return out;
}

/// Of one attempt, that both tell.
Diagnosis of_both(const Attempt& device, const Attempt& generic) {
  Diagnosis out = generic.diagnosis();
  Diagnosis other = device.diagnosis();
  if (out.uid.empty()) out.uid = other.uid;
  if (!other.node.empty()) out.node = std::move(other.node);
  out.filter = of_both(other.filter, device.filter().time, out.filter, generic.filter().time);
  out.bind = of_both(other.bind, device.bind().time, out.bind, generic.bind().time);
  const auto decisive = out.bind.verdict == Verdict::kNone ? &Diagnosis::filter : &Diagnosis::bind;
  if (out.*decisive == other.*decisive) out.scheduler = std::move(other.scheduler);
  if (!out.first || (other.first && *other.first < *out.first)) out.first = other.first;
  if (!out.last || (other.last && *other.last > *out.last)) out.last = other.last;
  out.nodes = of_both(std::move(other.nodes), std::move(out.nodes));
  std::ranges::move(other.lacks, std::back_inserter(out.lacks));
  out.decide();
  return out;
}

}  // namespace

Outcome PodAttempts::add(const Fact& fact, const CardPlaces& places, SharedTexts& texts) {
  const auto who = static_cast<std::size_t>(fact.scheduler);
  Attempt& attempt = attempts_.at(who);
  if (attempt.is_over_at(fact)) histories_.at(who).add(attempt, fact);
  return attempt.add(fact, places, texts);
}

flow::KlogInstant PodAttempts::begun(Scheduler scheduler) const {
  const AttemptHistory& history = histories_.at(static_cast<std::size_t>(scheduler));
  if (!history.kept().empty()) return history.begun();
  const Attempt& attempt = of(scheduler);
  return attempt.time().begin_said ? attempt.first() : std::nullopt;
}

Diagnosis PodAttempts::diagnosis() const {
  const auto generic_at = static_cast<std::size_t>(Scheduler::kKube);
  const auto device_at = static_cast<std::size_t>(Scheduler::kHami);
  const Attempt& generic = attempts_.at(generic_at);
  const Attempt& device = attempts_.at(device_at);
  const AttemptHistory& generic_old = histories_.at(generic_at);
  const AttemptHistory& device_old = histories_.at(device_at);
  Diagnosis out;
  const bool is_other_pod = !device.uid().empty() && !generic.uid().empty() && device.uid() != generic.uid();
  if (device.empty() || (is_other_pod && flow::is_earlier(device.time().last, generic.time().last))) {
    out = generic.diagnosis();
    tell_history(out, {}, generic_old);
  } else if (generic.empty() || is_other_pod) {
    out = device.diagnosis();
    tell_history(out, device_old, {});
  } else if (const auto order = order_of(device.time(), generic.time());
             order == AttemptOrder::kDeviceOlder) {
    out = generic.diagnosis();
    tell_history(out, device_old, generic_old, &device, nullptr);
  } else if (order == AttemptOrder::kGenericOlder) {
    out = device.diagnosis();
    tell_history(out, device_old, generic_old, nullptr, &generic);
  } else {
    out = of_both(device, generic);
    tell_history(out, device_old, generic_old);
  }
  std::ranges::move(lacks_nodes(out), std::back_inserter(out.lacks));
  return out;
}

}  // namespace flowtap::diagnosis
