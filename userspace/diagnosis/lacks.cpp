#include "diagnosis/lacks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "diagnosis/attempt.hpp"
#include "diagnosis/fact_table.hpp"
#include "diagnosis/failed_nodes.hpp"
#include "diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

/// Of nodes that are counted, by what their reason has in it: the first that fits.
struct Counted {
  std::string_view reason;
  std::string_view nodes;
  std::string_view named;  ///< by whom
};
constexpr std::string_view kByHami = "its extender's own log names them, from -v=4 on";
constexpr std::array kCounted = {
    Counted{"cannot align", "nodes without room on one NUMA cell",
            "the NUMA-aware scheduler names them from -v=2 on, up to 2024 from -v=5 on"},
    Counted{"NodeUnfitPod", "nodes that HAMi turns down", kByHami},
    Counted{"node not fit pod", "nodes that HAMi turns down", kByHami},
    Counted{"node unregister", "nodes on which HAMi knows no cards",
            "its extender's own log names them, up to 2.4 at every level, then from -v=5 on"},
    Counted{"untolerated taint", "nodes with taints", "kube-scheduler names them from -v=4 on"},
    Counted{"", "nodes that kube-scheduler only counts", "it names none at any level"},
};

bool is_of_a_card(std::string_view reason) {
  return std::ranges::any_of(fact_rows(), [reason](const FactRow& row) {
    return row.kind == FactKind::kCardFails && row.says == reason;
  });
}

}  // namespace

std::vector<std::string> lacks_cards(const Diagnosis& diagnosis, bool told) {
  std::size_t of_cards = 0;  // nodes whose cards are not there, though they are why it fails
  bool any_without = false;
  for (const NodeVerdict& node : diagnosis.nodes) {
    if (node.verdict != Verdict::kFailed) continue;
    any_without = any_without || reason_of(node).empty();
    bool lacks = told && reason_of(node).empty();
    each_reason(reason_of(node), [&](std::string_view reason) {
      reason = without_counts(reason);
      lacks = lacks || (is_of_a_card(reason) &&
                        std::ranges::find(node.cards, reason, &CardVerdict::reason) == node.cards.end());
    });
    of_cards += lacks ? 1 : 0;
  }
  if (told && of_cards > 0)
    return {"on which nodes cards are that would not do (" + std::to_string(of_cards) +
            " have none here): HAMi says which cards a node has when it first sees it"};
  if (told) return {};
  if (any_without)
    return {"reasons of nodes that have none here: HAMi gives them, card by card, from -v=5 on"};
  if (of_cards > 0) return {"the cards that would not do: HAMi names them from -v=5 on"};
  return {};
}

std::vector<std::string> lacks_containers(const Diagnosis& diagnosis, bool named) {
  const auto nodes =
      std::ranges::count_if(diagnosis.nodes, [](const NodeVerdict& node) { return node.containers.empty(); });
  if (nodes == 0) return {};
  if (!named) return {"the pod's containers: HAMi names them from -v=5 on, up to 2.4 at no level"};
  return {"which container it is that does not fit (" + std::to_string(nodes) +
          " nodes): it follows from what was given to those before it, on cards whose nodes HAMi names when "
          "it first sees them"};
}

std::vector<std::string> lacks_cells(const Diagnosis& diagnosis) {
  const auto has_word = [](const NodeVerdict& node) { return !node.containers.empty(); };
  if (std::ranges::none_of(diagnosis.nodes, has_word)) return {};
  const auto nodes = std::ranges::count_if(diagnosis.nodes, [&](const NodeVerdict& node) {
    return node.verdict == Verdict::kPassed && !has_word(node);
  });
  if (nodes == 0) return {};
  return {"NUMA cells on nodes that fit (" + std::to_string(nodes) +
          "): the NUMA-aware scheduler says them from -v=3 on, up to 2024 at no level"};
}

std::string lacks_room() {
  return "what more was said of the attempt: of one no more than " +
         std::to_string(Attempt::kMostBytes >> 20U) + " MiB and " + std::to_string(Attempt::kMostNodes) +
         " nodes are kept";
}

std::vector<std::string> lacks_nodes(const Diagnosis& diagnosis) {
  std::vector<std::string> out;
  std::array<std::size_t, kCounted.size()> nodes{};
  const FailedNodes failed = failed_nodes(diagnosis);
  for (const NodesReason& one : failed.unnamed) {
    const auto* const found = std::ranges::find_if(
        kCounted, [&](const Counted& counted) { return one.reason.contains(counted.reason); });
    nodes.at(static_cast<std::size_t>(found - kCounted.begin())) += one.nodes;
  }
  for (std::size_t i = 0; i < kCounted.size(); ++i)
    if (nodes.at(i) > 0)
      out.push_back(std::string(kCounted.at(i).nodes) + " (" + std::to_string(nodes.at(i)) +
                    "): " + std::string(kCounted.at(i).named));
  const auto wordless = std::ranges::find(failed.by_reason, "", &NodesReason::reason);
  if (diagnosis.reasons.empty() || wordless == failed.by_reason.end()) return out;
  const auto named =
      static_cast<std::size_t>(std::ranges::count_if(diagnosis.nodes, [](const NodeVerdict& node) {
        return node.verdict == Verdict::kFailed && reason_of(node).empty();
      }));
  if (wordless->nodes > named)
    out.push_back("reasons of nodes that are not even counted by one (" +
                  std::to_string(wordless->nodes - named) +
                  "): an extender may turn nodes down without a word, and its own log says why");
  return out;
}

}  // namespace flowtap::diagnosis
