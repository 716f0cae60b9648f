#include "explain/diagnosis/attempts/pod_attempts.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "explain/diagnosis/attempts/lacks.hpp"

namespace flowtap::diagnosis {
namespace {

// Joins two verdicts on one phase: the later one counts. If they are equal, the device-aware scheduler's sentence is taken, since
// it says more.
PhaseVerdict of_both(const PhaseVerdict& device, const flow::KlogTime& said, const PhaseVerdict& generic,
                     const flow::KlogTime& said_too) {
  if (device.verdict == generic.verdict) return device.summary.empty() ? generic : device;
  if (device.verdict == Verdict::kNone) return generic;
  if (generic.verdict == Verdict::kNone) return device;
  return flow::is_earlier(said_too, said) ? device : generic;
}

std::vector<NodeVerdict> of_both(std::vector<NodeVerdict> device, std::vector<NodeVerdict> generic) {
  std::vector<NodeVerdict> out;
  // For equal names, those of the first range are taken.
  std::ranges::set_union(std::make_move_iterator(device.begin()), std::make_move_iterator(device.end()),
                         std::make_move_iterator(generic.begin()), std::make_move_iterator(generic.end()),
                         std::back_inserter(out), {}, &NodeVerdict::name, &NodeVerdict::name);
  return out;
}

/// The nodes of each reason for which kube-scheduler counts exactly as many: then its count is about these nodes.
std::vector<NodeVerdict> counted(const std::vector<NodeVerdict>& left_out,
                                 const std::vector<NodesReason>& reasons) {
  std::vector<NodeVerdict> out;
  for (const NodesReason& counted : reasons) {
    const auto is_of_it = [&](const NodeVerdict& node) { return counted.reason.starts_with(node.reason); };
    if (!std::cmp_equal(std::ranges::count_if(left_out, is_of_it), counted.nodes)) continue;
    for (const NodeVerdict& node : left_out)
      if (is_of_it(node)) {
        out.push_back(node);
        out.back().reason = counted.reason;
      }
  }
  std::ranges::sort(out, {}, &NodeVerdict::name);
  return out;
}

/// What one or more schedulers tell of an attempt.
struct Answer {
  Diagnosis says;
  flow::KlogTime filter_time;  // when the verdict on that phase was said
  flow::KlogTime bind_time;
  std::vector<NodeVerdict> left_out;
};

Answer answer_of(const Attempt& attempt) {
  return {.says = attempt.diagnosis(),
          .filter_time = attempt.filter().time,
          .bind_time = attempt.bind().time,
          .left_out = attempt.left_out()};
}

/// Joins what two schedulers tell of the same attempt.
Answer of_both(Answer device, Answer generic) {
  Diagnosis& out = generic.says;
  Diagnosis& other = device.says;
  if (out.uid.empty()) out.uid = other.uid;
  if (!other.node.empty()) out.node = std::move(other.node);
  out.filter = of_both(other.filter, device.filter_time, out.filter, generic.filter_time);
  out.bind = of_both(other.bind, device.bind_time, out.bind, generic.bind_time);
  const auto decisive = out.bind.verdict == Verdict::kNone ? &Diagnosis::filter : &Diagnosis::bind;
  if (out.*decisive == other.*decisive) out.scheduler = std::move(other.scheduler);
  if (out.filter == other.filter) generic.filter_time = device.filter_time;
  if (out.bind == other.bind) generic.bind_time = device.bind_time;
  if (!out.first || (other.first && *other.first < *out.first)) out.first = other.first;
  if (!out.last || (other.last && *other.last > *out.last)) out.last = other.last;
  out.nodes = of_both(std::move(other.nodes), std::move(out.nodes));
  if (auto more = counted(device.left_out, out.reasons); !more.empty())
    out.nodes = of_both(std::move(more), std::move(out.nodes));
  std::ranges::move(device.left_out, std::back_inserter(generic.left_out));
  std::ranges::move(other.lacks, std::back_inserter(out.lacks));
  out.decide();
  return generic;
}

/// Joins two extenders that were asked one after the other: if one of them turns a node down, it is turned down.
Answer of_two(Answer one, Answer other) {
  std::erase_if(one.says.nodes, [&](const NodeVerdict& node) {
    const auto same = std::ranges::lower_bound(other.says.nodes, node.name, {}, &NodeVerdict::name);
    return same != other.says.nodes.end() && same->name == node.name && same->verdict == Verdict::kFailed;
  });
  return of_both(std::move(one), std::move(other));
}

}  // namespace

Outcome PodAttempts::add(const Fact& fact, const CardPlaces& places, SharedTexts& texts, bool all) {
  spoken_ = spoken_ || !is_of_known_pod(fact.kind);
  auto told = std::ranges::lower_bound(told_, fact.scheduler, std::less<>(), &Told::by);
  const bool is_known = told != told_.end() && told->by == fact.scheduler;
  if (!is_known && !all && is_of_known_pod(fact.kind)) return Outcome::kNone;
  if (!is_known) told = told_.insert(told, {.by = fact.scheduler, .attempt = {}, .history = {}});
  if (told->attempt.is_old(fact)) {
    told->history.add_late(fact, told->attempt, texts);
    return Outcome::kNone;
  }
  if (told->attempt.is_over_at(fact))
    told->history.add(told->attempt, fact);
  else if (told->attempt.turns_out_of_other_pod(fact))
    told->history.forget_before(told->attempt.time().first);
  return told->attempt.add(fact, places, texts);
}

const Told* PodAttempts::of(const Scheduler& scheduler) const {
  const auto told = std::ranges::find(told_, &scheduler, &Told::by);
  return told != told_.end() ? &*told : nullptr;
}

std::vector<const Told*> PodAttempts::of_newest_pod() const {
  const Told* newest = nullptr;
  for (const Told& one : told_)
    if (!one.attempt.uid().empty() &&
        (newest == nullptr || !flow::is_earlier(one.attempt.time().last, newest->attempt.time().last)))
      newest = &one;
  std::vector<const Told*> out;
  for (const Told& one : told_)
    if (newest == nullptr || one.attempt.uid().empty() || one.attempt.uid() == newest->attempt.uid())
      out.push_back(&one);
  return out;
}

Diagnosis PodAttempts::diagnosis() const {
  const std::vector<const Told*> told = of_newest_pod();
  const Told* main = nullptr;
  for (const Told* one : told)
    if (!one->extends() &&
        (main == nullptr || !flow::is_earlier(one->attempt.time().last, main->attempt.time().last)))
      main = one;
  const auto is = [main](const Told* one, AttemptOrder order) {
    return one->extends() && main != nullptr && order_of(one->attempt.time(), main->attempt.time()) == order;
  };
  // An extender may be ahead of the main scheduler: then it was asked in an attempt that the main one has not told of yet. If no
  // main scheduler is heard, nothing tells the extenders' attempts apart.
  const auto is_ahead = [&](const Told* one) {
    return one->extends() && (main == nullptr || is(one, AttemptOrder::kGenericOlder));
  };
  const bool ahead = std::ranges::any_of(told, is_ahead);
  std::vector<const Told*> now;
  std::ranges::copy_if(told, std::back_inserter(now), [&](const Told* one) {
    return ahead ? is_ahead(one) : one == main || is(one, AttemptOrder::kSame);
  });

  std::optional<Answer> answer;
  for (const Told* one : now)
    if (one->extends())
      answer = answer ? of_two(answer_of(one->attempt), std::move(*answer)) : answer_of(one->attempt);
  const bool of_main = main != nullptr && !ahead;
  if (of_main)
    answer = answer ? of_both(std::move(*answer), answer_of(main->attempt)) : answer_of(main->attempt);
  if (!answer) return {};
  Diagnosis out = std::move(answer->says);
  tell_history(out, told, now);
  std::ranges::move(lacks_nodes(out, of_main ? main->attempt.called() : std::string_view()),
                    std::back_inserter(out.lacks));
  return out;
}

}  // namespace flowtap::diagnosis
