#include "explain/diagnosis/failed_nodes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "explain/diagnosis/counted_as.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/facts/text_pattern.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

// The number of all nodes stands before one of these.
constexpr std::string_view kNode = " node";
constexpr std::array<std::string_view, 3> kBehindNode = {"s are available", " is available",
                                                         "s are unavailable"};

// 4 in "0/4 nodes are available: ..."; 0 if the text does not say it.
std::size_t all_nodes(std::string_view text) {
  const auto is_end = [text](std::size_t at) {
    std::string_view behind = text.substr(at + kNode.size());
    const bool cut = behind.ends_with(kCutOff);
    if (cut) behind.remove_suffix(kCutOff.size());
    return std::ranges::any_of(kBehindNode, [behind, cut](std::string_view words) {
      return behind.starts_with(words) || (cut && words.starts_with(behind));
    });
  };
  std::size_t end = text.find(kNode);
  while (end != std::string_view::npos && !is_end(end)) end = text.find(kNode, end + 1);
  if (end == std::string_view::npos) return 0;
  const std::size_t slash = text.substr(0, end).rfind('/');
  if (slash == std::string_view::npos) return 0;
  std::size_t count = 0;
  const auto [last, error] = std::from_chars(text.data() + slash + 1, text.data() + end, count);
  return error == std::errc{} && last == text.data() + end ? count : 0;
}

// How many nodes HAMi was asked about, as its sentence says it when none is left; 0 if the text does not say it.
std::size_t all_of_hami(std::string_view text) {
  std::size_t count = 0;
  const auto take = [&count](std::string_view, std::string_view taken) {
    std::from_chars(taken.data(), taken.data() + taken.size(), count);
  };
  if (text.ends_with('.')) text.remove_suffix(1);
  return matches(kNoneLeftByHami, text, take) ? count : 0;
}

std::size_t sum_of(const std::vector<NodesReason>& reasons) {
  std::size_t sum = 0;
  for (const NodesReason& one : reasons) sum += one.nodes;
  return sum;
}

/// Counts nodes by their reasons, and takes them off one by one.
class Counted {
 public:
  explicit Counted(const std::vector<NodesReason>& reasons) {
    for (const NodesReason& one : reasons)
      if (one.nodes > 0) left_[one.reason] += one.nodes;
  }

  /// False: no node is left with this reason.
  bool take(std::string_view reason) { return take(left_.find(reason)); }
  /// The same for a reason that begins so.
  bool take_beginning(std::string_view beginning) {
    const auto found = left_.lower_bound(beginning);
    return found != left_.end() && found->first.starts_with(beginning) && take(found);
  }

  [[nodiscard]] std::vector<NodesReason> left() const {
    std::vector<NodesReason> out;
    for (const auto& [reason, nodes] : left_) out.push_back({std::string(reason), nodes});
    return out;
  }

 private:
  using Left = std::map<std::string_view, std::size_t>;

  bool take(Left::iterator found) {
    if (found == left_.end()) return false;
    if (--found->second == 0) left_.erase(found);
    return true;
  }

  Left left_;  // no reason without a node
};

// If the text is a list, the reason that most cards have. A text with spaces inside a reason is not a list.
std::string main_reason(std::string_view text) {
  std::string_view main;
  std::size_t most = 0;
  bool is_list = true;
  each_reason(text, [&](std::string_view reason) {
    is_list = is_list && !reason.empty() && !without_counts(reason).contains(' ');
    const std::size_t cards = cards_in(reason);
    if (!main.empty() && cards <= most) return;
    main = without_counts(reason);
    most = cards;
  });
  return std::string(is_list ? main : text);
}

}  // namespace

const std::string& reason_of(const NodeVerdict& node) {
  for (const ContainerVerdict& container : node.containers)
    if (container.verdict == Verdict::kFailed && !container.reason.empty()) return container.reason;
  return node.reason;
}

// "no available node, 3 nodes do not meet", "2 nodes CardTypeMismatch(node1,node2)"
bool breaks_off_hamis(std::string_view message) {
  constexpr std::string_view kNone = kNoneLeftByHami.substr(0, kNoneLeftByHami.find('<'));
  constexpr std::string_view kNodes = " nodes ";
  if (message.empty()) return false;
  if (message.ends_with('.')) message.remove_suffix(1);
  if (kNone.starts_with(message)) return true;
  if (message.starts_with(kNone))
    return !message.ends_with(kNoneLeftByHami.substr(kNoneLeftByHami.rfind(' ')));
  const std::string_view behind =
      message.substr(std::min(message.find_first_not_of("0123456789"), message.size()));
  if (behind.size() == message.size()) return false;
  return kNodes.starts_with(behind) || (behind.starts_with(kNodes) && !behind.ends_with(')'));
}

FailedNodes failed_nodes(const Diagnosis& diagnosis) {
  FailedNodes out;
  Counted counted(diagnosis.reasons);
  std::vector<NodesReason> named;
  std::vector<std::string_view> more;  // reasons of nodes that are counted under another one
  for (const NodeVerdict& node : diagnosis.nodes) {
    if (node.verdict != Verdict::kFailed) continue;
    named.push_back({.reason = reason_of(node), .nodes = 1});
    out.cut = out.cut || named.back().reason.ends_with(kCutOff);
    if (!counted.take(named.back().reason)) more.push_back(reason_of(node));
  }
  std::erase_if(more, [&](std::string_view reason) {
    return std::ranges::any_of(counted_as(reason),
                               [&](const std::string& as) { return counted.take_beginning(as); });
  });
  out.unnamed = counted.left();

  std::size_t all = std::max(all_nodes(diagnosis.filter.summary), all_nodes(diagnosis.preemption));
  // If a main scheduler counts reasons, HAMi was asked about some of the nodes.
  if (all == 0 && diagnosis.reasons.empty()) all = all_of_hami(diagnosis.filter.summary);
  const std::size_t left = sum_of(out.unnamed);
  out.others = all == 0 ? left : all - std::min(all, named.size());
  // More may be named than there are: another scheduler has seen one more.
  const bool too_many = all > 0 && named.size() > all;
  // A node may be counted for several reasons, and a sentence that is cut may have had more of them.
  out.at_most = all == 0 && (diagnosis.reasons.size() > 1 || diagnosis.filter.summary.ends_with(kCutOff));
  out.nodes = too_many ? all : named.size() + out.others;
  // A node may have several reasons, and counts for each of them.
  for (NodesReason& one : out.unnamed) one.nodes = std::min(one.nodes, out.others);
  if (out.others == 0) out.unnamed.clear();
  // If it is not known, too, under which reason a named node is counted, only the counts are true for all nodes.
  const bool only_counts = (too_many || (left > out.others && !more.empty())) && !diagnosis.reasons.empty();

  std::map<std::string, std::size_t> counts;
  for (const NodesReason& one : only_counts ? diagnosis.reasons : out.unnamed)
    counts[main_reason(one.reason)] += one.nodes;
  if (!only_counts)
    for (const NodesReason& one : named) counts[main_reason(one.reason)] += 1;
  const std::size_t said = only_counts ? sum_of(diagnosis.reasons) : named.size() + left;
  if (out.nodes > said) counts[{}] += out.nodes - said;
  for (const auto& [reason, nodes] : counts) out.by_reason.push_back({reason, std::min(nodes, out.nodes)});
  std::ranges::stable_sort(out.by_reason, std::greater{}, &NodesReason::nodes);
  return out;
}

}  // namespace flowtap::diagnosis
