#include "explain/diagnosis/advice.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <utility>

#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kNotHelpful = "Preemption is not helpful for scheduling";

// All that kube-scheduler knows of nodes that HAMi up to 2.9 has turned down, and that the NUMA-aware scheduler's plugin has. Lines about
// the nodes say more.
constexpr std::array<std::string_view, 2> kTurnedDown = {"NodeUnfitPod", "cannot align container"};

// What a lack means on nodes that would be too small without other pods, too. A device's name has a slash, and the plugin that provides
// it may be down.
constexpr std::string_view kTooSmall =
    "Even without other pods the node would be too small: it has less in all than the pod asks for.";
constexpr std::string_view kTooSmallTodo =
    "Ask for less, or add larger nodes: neither waiting nor a higher priority helps.";
constexpr std::string_view kTooFew =
    "Even without other pods the node would be too small: it has fewer devices in all than the pod asks for, "
    "or "
    "none.";
constexpr std::string_view kTooFewTodo =
    "Ask for fewer, or add nodes that have as many. On a node that should have them, see that the device "
    "plugin runs: kubectl describe node shows how many are allocatable.";

constexpr std::string_view kTooLittle =
    "Even without other pods the node would be too small: of at least one of these it has less in all than "
    "the pod "
    "asks for.";
constexpr std::string_view kTooLittleOrNone =
    "Even without other pods the node would be too small: of at least one of these it has less in all than "
    "the pod "
    "asks for, or none.";
constexpr std::string_view kTooLittleOrNoneTodo =
    "Ask for less, or add nodes that have as much of each: neither waiting nor a higher priority helps. "
    "kubectl describe node shows what is allocatable, and whether a device plugin is missing there.";

constexpr std::string_view kTooManyPods = "Too many pods";

using List = std::vector<Advice>;

// The advice in the list that says the same. If there is none, it is put there, with no node yet.
Advice& same_in(List& list, const Advice& advice) {
  const auto found = std::ranges::find(list, advice.means, &Advice::means);
  if (found != list.end()) return *found;
  list.push_back(advice);
  list.back().nodes = 0;
  return list.back();
}

// Adds the advice for texts about the same nodes. A text is one reason, or a list of them.
void add(List& to, std::initializer_list<std::string_view> texts, std::size_t nodes) {
  List once;
  const auto know = [&](std::string_view reason) {
    const auto advice = advice_for(reason);
    if (advice) same_in(once, *advice);
    return advice.has_value();
  };
  for (const std::string_view text : texts)
    if (!text.empty() && !know(text)) each_reason(text, know);
  for (const Advice& advice : once) same_in(to, advice).nodes += nodes;
}

// But for nodes that the pod is not meant for, however many there are.
List most_first(List list) {
  std::ranges::stable_sort(list, std::ranges::greater{}, &Advice::nodes);
  std::ranges::stable_partition(list, [](const Advice& advice) { return advice.mends != Mends::kNone; });
  return list;
}

// From 1.35 on taints are counted without their names, and a line about each node has them. A general advice would contradict what is
// known of each.
bool names_all(const Diagnosis& diagnosis, const NodesReason& counted) {
  if (counted.reason != kSomeTaint) return false;
  const auto is_one = [](const NodeVerdict& node) {
    return node.verdict == Verdict::kFailed && reason_of(node).starts_with(kTaintsOfNode);
  };
  return static_cast<std::size_t>(std::ranges::count_if(diagnosis.nodes, is_one)) >= counted.nodes;
}

bool is_only_turned_down(const AdviceRow& row) {
  return std::ranges::any_of(kTurnedDown, [&row](std::string_view reason) {
    const AdviceRow* const unsaid = advice_row(reason);
    return unsaid != nullptr && unsaid->means == row.means;
  });
}

// How many nodes have the reason. Where it does not say why, those that are named with a reason of their own are left out.
std::size_t nodes_with(const NodesReason& counted, const FailedNodes& failed, std::size_t without_reason) {
  const AdviceRow* const row = advice_row(counted.reason);
  if (row == nullptr || !is_only_turned_down(*row)) return counted.nodes;
  const auto left = std::ranges::find(failed.unnamed, counted.reason, &NodesReason::reason);
  const std::size_t unnamed = left == failed.unnamed.end() ? 0 : left->nodes;
  return std::min(counted.nodes, unnamed + without_reason);
}

// Several schedulers may tell of the same nodes: one says which node it is, another only how many there are.
List of_nodes(const Diagnosis& diagnosis, const FailedNodes& failed) {
  List named;
  std::size_t without_reason = 0;
  for (const NodeVerdict& node : diagnosis.nodes) {
    if (node.verdict != Verdict::kFailed) continue;
    without_reason += reason_of(node).empty() ? 1 : 0;
    // The scheduler leaves a node at the first container that fails.
    std::string_view last;
    if (!node.containers.empty()) last = node.containers.back().reason;
    add(named, {node.reason, last}, 1);
  }
  List counted;
  for (const NodesReason& reason : diagnosis.reasons) {
    const std::size_t nodes = nodes_with(reason, failed, without_reason);
    if ((nodes > 0 || reason.nodes == 0) && !names_all(diagnosis, reason))
      add(counted, {reason.reason}, nodes);
  }
  for (const Advice& advice : counted) {
    Advice& same = same_in(named, advice);
    same.nodes = std::max(same.nodes, advice.nodes);
  }
  // A node may have two reasons that mean the same.
  for (Advice& advice : named) advice.nodes = std::min(advice.nodes, std::max<std::size_t>(failed.nodes, 1));
  return most_first(std::move(named));
}

/// What is said of the room that other pods could make:
/// "still not schedulable, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling."
struct Preemption {
  std::string_view before;         ///< by other plugins, before kube-scheduler's own
  std::string_view sentence;       ///< by that
  std::optional<FitError> counts;  ///< the sentence taken apart
};
Preemption taken_apart(std::string_view text) {
  const std::size_t tried = std::min(text.find(kPreemption), text.size());
  const std::string_view sentence = text.substr(std::min(tried + kPreemption.size(), text.size()));
  return {.before = text.substr(0, tried), .sentence = sentence, .counts = parse_fit_error(sentence)};
}

// kube-scheduler says of each node that room would not help. A node that lacks something fails by that alone, so it would lack it
// without other pods, too.
bool helps_nowhere(const Preemption& preemption) {
  if (!preemption.counts || preemption.counts->reasons.size() != 1) return false;
  const AdviceRow* const row = advice_row(preemption.counts->reasons.front().reason);
  return row != nullptr && row->pattern == kNotHelpful;
}

// A node that lacks several resources may have too little of just one of them. The log does not say which one, so they
// share the advice. `one_each`: each node has one reason.
List of_small_nodes(List list, bool one_each) {
  List out;
  const auto lacks = [](const Advice& advice) { return advice.mends == Mends::kFit; };
  const auto is_device = [](const Advice& advice) { return advice.reason.contains('/'); };
  const bool certain = one_each || std::ranges::count_if(list, lacks) < 2;
  const bool devices =
      std::ranges::any_of(list, [&](const Advice& advice) { return lacks(advice) && is_device(advice); });
  for (Advice& advice : list) {
    if (lacks(advice)) {
      const bool device = certain ? is_device(advice) : devices;
      advice.means = certain ? (device ? kTooFew : kTooSmall) : (device ? kTooLittleOrNone : kTooLittle);
      advice.todo = !device ? kTooSmallTodo : certain ? kTooFewTodo : kTooLittleOrNoneTodo;
    }
    const auto same = std::ranges::find(out, advice.means, &Advice::means);
    if (same == out.end()) {
      out.push_back(std::move(advice));
      continue;
    }
    same->reason.append(kBetweenReasons).append(advice.reason);
    same->nodes = std::max(same->nodes, advice.nodes);
  }
  // Larger nodes are new ones, which have room for more pods, too.
  const auto too_small = std::ranges::max_element(
      out, {}, [&](const Advice& advice) { return lacks(advice) ? advice.nodes : std::size_t{0}; });
  if (too_small != out.end() && lacks(*too_small) && !one_each)
    std::erase_if(out, [nodes = too_small->nodes](const Advice& advice) {
      return advice.pattern == kTooManyPods && advice.nodes <= nodes;
    });
  return out;
}

// A node with two reasons is counted twice.
bool has_one_reason_each(const Diagnosis& diagnosis, const FailedNodes& failed) {
  std::size_t counted = 0;
  for (const NodesReason& reason : diagnosis.reasons) counted += reason.nodes;
  return !failed.at_most && counted <= failed.nodes;
}

bool is_of_room(Mends mends) {
  return mends == Mends::kRoom || mends == Mends::kFit;
}

// Some node fails by what other pods take, or by something that the table does not know. Nothing is known of nodes: it may, too.
bool may_need_room(const Diagnosis& diagnosis) {
  bool any = false;
  bool room = false;
  const auto look = [&](std::string_view text) {
    if (text.empty()) return;
    any = true;
    if (const AdviceRow* const row = advice_row(text)) {
      room = room || is_of_room(row->mends);
      return;
    }
    each_reason(text, [&room](std::string_view reason) {
      const AdviceRow* const of_part = advice_row(reason);
      room = room || of_part == nullptr || is_of_room(of_part->mends);
    });
  };
  for (const NodeVerdict& node : diagnosis.nodes)
    if (node.verdict == Verdict::kFailed) look(reason_of(node));
  for (const NodesReason& one : diagnosis.reasons) look(one.reason);
  return room || !any;
}

// Adds the advice for a sentence that counts nodes, or is one reason or a list of them.
void add_sentence(List& to, std::string_view text, const std::optional<FitError>& counts) {
  if (counts) {
    for (const NodesReason& reason : counts->reasons) add(to, {reason.reason}, reason.nodes);
  } else {
    add(to, {text}, 0);
  }
}

// What plugins say before kube-scheduler's own preemption has advice only if it means something.
List of_preemption(const Preemption& preemption) {
  List out;
  add(out, {preemption.before}, 0);
  add_sentence(out, preemption.sentence, preemption.counts);
  return most_first(std::move(out));
}

bool is_about_room(const Advice& advice) {
  return advice.mends == Mends::kRoom;
}

}  // namespace

std::vector<Advice> advice_for(const Diagnosis& diagnosis) {
  List out;
  const auto append = [&](const List& list) {
    for (const Advice& advice : list)
      if (std::ranges::find(out, advice.means, &Advice::means) == out.end()) out.push_back(advice);
  };
  if (diagnosis.bind.verdict == Verdict::kFailed)
    add_sentence(out, diagnosis.bind.summary, parse_fit_error(diagnosis.bind.summary));
  const FailedNodes failed = failed_nodes(diagnosis);
  const Preemption tried = taken_apart(diagnosis.preemption);
  List nodes = of_nodes(diagnosis, failed);
  append(helps_nowhere(tried) ? of_small_nodes(std::move(nodes), has_one_reason_each(diagnosis, failed))
                              : std::move(nodes));
  const std::string& said = diagnosis.filter.summary;
  // A sentence that counts nodes is no reason itself.
  if (out.empty() && diagnosis.filter.verdict == Verdict::kFailed && !parse_fit_error(said))
    add(out, {said}, 0);
  for (const HeldBack& held : diagnosis.lifecycle.held) add(out, {held.reason}, 0);
  List preemption = of_preemption(tried);
  if (std::ranges::any_of(preemption, is_about_room) && !may_need_room(diagnosis))
    std::erase_if(preemption, is_about_room);
  // Where some nodes could be emptied for the pod, a priority may help after all.
  if (std::ranges::any_of(preemption, is_about_room))
    std::erase_if(preemption, [](const Advice& advice) { return advice.pattern == kNotHelpful; });
  append(preemption);
  return out;
}

}  // namespace flowtap::diagnosis
