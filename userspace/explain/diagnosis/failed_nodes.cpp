#include "explain/diagnosis/failed_nodes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

// Reasons that kube-scheduler counts while a device-aware scheduler says more about each node: HAMi's words up to 2.9, and the
// NUMA plugin's.
constexpr std::array<std::string_view, 7> kOfAll = {"NodeUnfitPod",
                                                    "node not fit pod",
                                                    "cannot align container",
                                                    "cannot align init container",
                                                    "cannot align sidecar container",
                                                    "cannot align pod",
                                                    kInvalidTopology};

// 4 in "0/4 nodes are available: ..."; 0 if the text does not say it.
std::size_t all_nodes(std::string_view text) {
  const std::size_t end = text.find(" nodes are available");
  if (end == std::string_view::npos) return 0;
  const std::size_t slash = text.substr(0, end).rfind('/');
  if (slash == std::string_view::npos) return 0;
  std::size_t count = 0;
  const auto [last, error] = std::from_chars(text.data() + slash + 1, text.data() + end, count);
  return error == std::errc{} && last == text.data() + end ? count : 0;
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
    for (const NodesReason& one : reasons) left_[one.reason] += one.nodes;
  }

  /// False: no node is left with this reason.
  bool take(std::string_view reason) {
    const auto found = left_.find(reason);
    if (found == left_.end() || found->second == 0) return false;
    --found->second;
    return true;
  }

  [[nodiscard]] std::vector<NodesReason> left() const {
    std::vector<NodesReason> out;
    for (const auto& [reason, nodes] : left_)
      if (nodes > 0) out.push_back({std::string(reason), nodes});
    return out;
  }

 private:
  std::map<std::string_view, std::size_t> left_;
};

// In a list, the reason that most cards have. A text with spaces inside a reason is not a list.
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

FailedNodes failed_nodes(const Diagnosis& diagnosis) {
  FailedNodes out;
  Counted counted(diagnosis.reasons);
  std::vector<NodesReason> named;
  std::size_t more = 0;  // nodes that are counted under another reason
  for (const NodeVerdict& node : diagnosis.nodes) {
    if (node.verdict != Verdict::kFailed) continue;
    named.push_back({.reason = reason_of(node), .nodes = 1});
    if (!counted.take(named.back().reason)) ++more;
  }
  for (const std::string_view reason : kOfAll)
    while (more > 0 && counted.take(reason)) --more;
  out.unnamed = counted.left();

  std::size_t said = named.size() + sum_of(out.unnamed);
  const std::size_t all = std::max(all_nodes(diagnosis.filter.summary), all_nodes(diagnosis.preemption));
  // A node may have several reasons. Then, and if it is not known under which reason a named node is counted, only the counts are
  // true for all nodes.
  const bool is_twice = all > 0 && said > all && !diagnosis.reasons.empty();
  if (is_twice) said = std::min(all, sum_of(diagnosis.reasons));
  out.nodes = std::max(all, said);

  std::map<std::string, std::size_t> counts;
  for (const NodesReason& one : is_twice ? diagnosis.reasons : out.unnamed)
    counts[main_reason(one.reason)] += one.nodes;
  if (!is_twice)
    for (const NodesReason& one : named) counts[main_reason(one.reason)] += 1;
  if (all > 0 && named.size() >= all) out.unnamed.clear();
  if (out.nodes > said) counts[{}] += out.nodes - said;
  for (const auto& [reason, nodes] : counts) out.by_reason.push_back({reason, nodes});
  std::ranges::stable_sort(out.by_reason, std::greater{}, &NodesReason::nodes);
  return out;
}

}  // namespace flowtap::diagnosis
