#include "why_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/chosen_node.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "why_reasons.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::Diagnosis;
using diagnosis::NodeVerdict;
using diagnosis::Verdict;

// A log may give a sentence of any length.
constexpr std::size_t kLongestSentence = 300;
constexpr std::string_view kUndecided = "nothing is decided yet";

std::vector<const NodeVerdict*> fitting(const Diagnosis& diagnosis) {
  std::vector<const NodeVerdict*> out;
  for (const NodeVerdict& node : diagnosis.nodes)
    if (node.verdict == Verdict::kPassed) out.push_back(&node);
  return out;
}

/// The node of the bind; empty if no scheduler names it.
std::string target_of(const Diagnosis& diagnosis) {
  if (!diagnosis.node.empty()) return printable(diagnosis.node);
  const auto nodes = fitting(diagnosis);
  return nodes.size() == 1 ? printable(nodes.front()->name) : "";
}

/// A scheduler's own words without quotes, safe to show.
std::string in_words(std::string_view text, std::size_t longest) {
  const std::string quoted = in_quotes(text, longest);
  return quoted.substr(1, quoted.size() - 2);
}

/// ": " and the scheduler's own words, if there are any.
std::string in_its_words(std::string_view summary) {
  return summary.empty() || summary == diagnosis::kCutOff ? "" : ": " + in_quotes(summary, kLongestSentence);
}

std::string room_words(const Diagnosis& diagnosis) {
  if (diagnosis.lifecycle.over()) return "";  // nobody makes room for it any more
  if (!diagnosis.nominated.empty()) return "; room is being made on " + printable(diagnosis.nominated);
  const auto is_made = [](const diagnosis::Advice& one) { return one.mends == diagnosis::Mends::kTime; };
  if (std::ranges::any_of(diagnosis::advice_for(diagnosis), is_made))
    return "; the pods that make room for it are still ending";
  return diagnosis::room_error_in(diagnosis.preemption).empty() ? "" : "; room could not be made for it";
}

/// "held back by SchedulingGates: waiting for scheduling gates: [a.b/c]"
std::string held_words(const Diagnosis& diagnosis) {
  std::string out = "held back by ";
  if (diagnosis.lifecycle.held.empty()) return out + list_words(diagnosis.plugins);
  const char* between = "";
  for (const diagnosis::HeldBack& held : diagnosis.lifecycle.held) {
    out += std::exchange(between, ", ") + printable(held.plugin);
    if (!held.reason.empty()) out += ": " + in_words(held.reason, kLongestSentence);
  }
  return out;
}

bool is_full_reservation(const diagnosis::NodesReason& one) {
  return one.nodes == 0 && (one.reason.starts_with("Reservation(s) Insufficient ") ||
                            one.reason.starts_with("Reservation(s) Too many pods"));
}

// kube-scheduler's verdict on the group of a pod (1.36), which may have had a place of its own.
bool is_of_group(std::string_view summary) {
  return summary.starts_with("pod group is unschedulable") || summary.starts_with("minCount (");
}

bool says_nothing(const diagnosis::NodesReason& one) {
  return one.reason.empty() || one.reason == diagnosis::kCutOff;
}

std::string no_node(const Diagnosis& diagnosis) {
  const auto failed = diagnosis::failed_nodes(diagnosis);
  if (diagnosis.filter.summary == diagnosis::kCutOff) return "no node was found, and the reason is cut off";
  if (failed.nodes == 0)
    return (is_of_group(diagnosis.filter.summary) ? "its group could not be placed as a whole"
                                                  : "no node was found") +
           in_its_words(diagnosis.filter.summary);
  auto reasons = failed.by_reason;
  const bool cut = failed.cut || diagnosis.filter.summary.ends_with(diagnosis::kCutOff);
  if (cut) std::erase_if(reasons, says_nothing);
  // Koordinator counts the Reservations that are full, and not the nodes that have none with room.
  const auto full = std::ranges::find_if(diagnosis.reasons, is_full_reservation);
  for (diagnosis::NodesReason& one : reasons)
    if (one.reason.empty() && full != diagnosis.reasons.end()) one.reason = full->reason;
  std::string counted = reasons_words(reasons, failed);
  if (cut) counted.append(counted.empty() ? "" : ", ").append("the rest is cut off");
  return (failed.at_most ? "no node fits" : no_node_words(failed.nodes)) + "; " + counted +
         room_words(diagnosis);
}

std::string undecided(const Diagnosis& diagnosis) {
  const std::size_t fit = fitting(diagnosis).size();
  if (diagnosis.filter.verdict == Verdict::kPassed) {
    const std::string node = target_of(diagnosis);
    if (const std::string& waits = diagnosis.lifecycle.waits; !waits.empty())
      return fmt::format("{} a place for it, and it waits there {}",
                         node.empty() ? "there is" : node + " has",
                         waits == diagnosis::kWaitsForGang    ? "for the rest of its group"
                         : waits == diagnosis::kWaitsForGroup ? "for the rest of its group (Permit)"
                                                              : "until a plugin lets it go on (Permit)");
    return (!node.empty() ? node + " fits"
            : fit > 1     ? grouped(fit) + " nodes fit"
                          : "a node fits") +
           ", and it is not bound yet";
  }
  const auto failed = diagnosis::failed_nodes(diagnosis);
  std::string so_far = reasons_words(failed.by_reason, failed);
  if (fit > 0)
    so_far += fmt::format("{}{} {}", so_far.empty() ? "" : ", ", grouped(fit), fit == 1 ? "fits" : "fit");
  if (so_far.empty() && !diagnosis.plugins.empty()) return held_words(diagnosis);
  return std::string(kUndecided) + (so_far.empty() ? "" : "; so far " + so_far) + room_words(diagnosis);
}

std::string bound_words(const Diagnosis& diagnosis) {
  const std::string node = target_of(diagnosis);
  return node.empty() ? "bound" : "bound to " + node;
}

/// Why the pod is not bound.
std::string pending_words(const Diagnosis& diagnosis) {
  if (diagnosis.bind.verdict == Verdict::kFailed) {
    const std::string node = target_of(diagnosis);
    return fmt::format("it could not be bound{}{}", node.empty() ? "" : " to " + node,
                       in_its_words(diagnosis::cause_on_chosen_node(diagnosis.bind.summary)));
  }
  return diagnosis.filter.verdict == Verdict::kFailed ? no_node(diagnosis) : undecided(diagnosis);
}

/// How a pod that is no more ended, and what was its state before.
std::string end_words(const Diagnosis& diagnosis) {
  const diagnosis::Lifecycle& life = diagnosis.lifecycle;
  const bool was_bound = diagnosis.status == Diagnosis::Status::kSucceeded;
  const std::string out = was_bound ? "was " + bound_words(diagnosis) + ", and " : "";
  if (!life.preempted_by.empty())
    return out + fmt::format("was ended{} to make room for {}",
                             life.preempted_on.empty() ? "" : " on " + printable(life.preempted_on),
                             printable(life.preempted_by));
  if (was_bound) return out + "was deleted later";
  const std::string before = pending_words(diagnosis);
  return before == kUndecided ? "was deleted before anything was decided"
                              : "was deleted before it was bound; until then, " + before;
}

}  // namespace

std::string no_node_words(std::size_t nodes) {
  return nodes == 1 ? "the only node does not fit" : fmt::format("none of {} nodes fits", grouped(nodes));
}

std::string list_words(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : ", ") + printable(one);
  return out;
}

std::string why_words(const Diagnosis& diagnosis) {
  if (diagnosis.lifecycle.over()) return end_words(diagnosis);
  return diagnosis.status == Diagnosis::Status::kSucceeded ? bound_words(diagnosis)
                                                           : pending_words(diagnosis);
}

PodWord pod_word(const Diagnosis& diagnosis) {
  constexpr const char* kGreen = "32";
  constexpr const char* kYellow = "33";
  constexpr const char* kRed = "1;31";
  if (diagnosis.lifecycle.deleted) return {"deleted", kYellow};
  if (diagnosis.lifecycle.over()) return {"ended", kYellow};
  switch (diagnosis.status) {
    case Diagnosis::Status::kSucceeded:
      return {"bound", kGreen};
    case Diagnosis::Status::kPending:
      return {"waiting", kYellow};
    case Diagnosis::Status::kFailed:
      break;
  }
  return {diagnosis.bind.verdict == Verdict::kFailed ? "not bound" : "unschedulable", kRed};
}

std::string state_words(const Diagnosis& diagnosis) {
  if (diagnosis.lifecycle.over()) return why_words(diagnosis);
  const bool is_bound = diagnosis.status == Diagnosis::Status::kSucceeded;
  return (is_bound ? "is " : "is pending: ") + why_words(diagnosis);
}

}  // namespace flowtap::cli
