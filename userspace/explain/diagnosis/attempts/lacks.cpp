#include "explain/diagnosis/attempts/lacks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/printable.hpp"
#include "base/text/grouped.hpp"
#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

/// Nodes that are only counted, told apart by a part of their reason. The first row that fits counts.
struct OnlyCounted {
  std::string_view reason;
  std::string_view nodes;
  std::string_view named;  ///< who names them; behind a blank: what the scheduler does that counts them
};
constexpr std::string_view kByHami = "its extender's own log names them, from -v=4 on";
constexpr std::string_view kFromFive = " names them from -v=5 on";
constexpr std::array kCounted = {
    OnlyCounted{"cannot align", "nodes without room on one NUMA cell",
                "the NUMA-aware scheduler names them from -v=2 on, up to 2024 from -v=5 on"},
    OnlyCounted{"NodeUnfitPod", "nodes that HAMi turns down", kByHami},
    OnlyCounted{"node not fit pod", "nodes that HAMi turns down", kByHami},
    OnlyCounted{"node unregister", "nodes on which HAMi knows no cards",
                "its extender's own log names them, up to 2.4 at every level, then from -v=5 on"},
    OnlyCounted{"untolerated taint", "nodes with taints", " names them from -v=4 on"},
    OnlyCounted{"pod topology spread constraints", "nodes that spreading leaves out", kFromFive},
    OnlyCounted{"PersistentVolume's node affinity", "nodes that cannot reach the pod's volume", kFromFive},
    OnlyCounted{"volume node affinity conflict", "nodes that cannot reach the pod's volume", kFromFive},
    OnlyCounted{"did not have enough free storage", "nodes without storage for a new volume", kFromFive},
    OnlyCounted{"resourceclaim not available", "nodes that cannot reach the claimed device", kFromFive},
    OnlyCounted{"cannot allocate all claims", "nodes without the claimed devices",
                " names them from -v=5 on, readably with --logging-format=json"},
};
// If no log says what it is called, or several of its names.
constexpr std::string_view kAnyScheduler = "the scheduler";
constexpr std::string_view kCountedOnly = "it names none at any level";
constexpr std::string_view kByVolcano = "its own log names them, and flowtap does not read that";

// Of several cards together. Not every kind of device names one then, at any level.
constexpr std::string_view kOfASet = "NumaNotFit";

template <typename... Parts>
std::string said(const Parts&... parts) {
  std::string out;
  (out.append(parts), ...);
  return out;
}

std::string of_nodes(std::string_view what, std::size_t nodes, std::string_view named) {
  return said(what, " (", grouped(nodes), "): ", named);
}

bool is_of_a_card(const Scheduler& by, std::string_view reason) {
  return std::ranges::any_of(by.rows, [reason](const FactRow& row) {
    return row.kind == FactKind::kCardFails && row.says == reason;
  });
}

}  // namespace

std::vector<std::string> lacks_cards(const Diagnosis& diagnosis, const Scheduler& by, bool told) {
  if (by.cards.empty()) return {};
  std::size_t of_cards = 0;  // nodes that fail by cards that the answer does not have
  bool any_without = false;
  for (const NodeVerdict& node : diagnosis.nodes) {
    if (node.verdict != Verdict::kFailed) continue;
    any_without = any_without || reason_of(node).empty();
    bool lacks = told && reason_of(node).empty();
    each_reason(reason_of(node), [&](std::string_view reason) {
      reason = without_counts(reason);
      if (reason == kOfASet && !told) return;
      lacks = lacks || (is_of_a_card(by, reason) &&
                        std::ranges::find(node.cards, reason, &CardVerdict::reason) == node.cards.end());
    });
    of_cards += lacks ? 1 : 0;
  }
  if (told && of_cards > 0)
    return {"the nodes of the cards that do not fit (" + grouped(of_cards) + " have none here): " +
            std::string(by.name) + " says which cards a node has when it first sees it"};
  if (told) return {};
  if (any_without)
    return {said("reasons of nodes that have none here: ", by.name, " gives them, card by card, ", by.cards)};
  if (of_cards > 0) return {said("the cards that do not fit: ", by.name, " names them ", by.cards)};
  return {};
}

std::vector<std::string> lacks_containers(const Diagnosis& diagnosis, const Scheduler& by, bool named,
                                          bool untold) {
  if (by.containers.empty()) return {};
  const auto nodes =
      std::ranges::count_if(diagnosis.nodes, [](const NodeVerdict& node) { return node.containers.empty(); });
  if (nodes == 0) return {};
  if (!named) return {said("the pod's containers: ", by.name, " names them ", by.containers)};
  return {"the container that does not fit (" + grouped(static_cast<std::size_t>(nodes)) +
          " nodes): it follows from what the containers before it were given, " +
          (untold ? said("which ", by.name, " says ", by.given)
                  : said("on cards whose nodes ", by.name, " names when it first sees them"))};
}

std::vector<std::string> lacks_cells(const Diagnosis& diagnosis, const Scheduler& by, std::size_t without) {
  std::vector<std::string> out;
  const auto has_word = [](const NodeVerdict& node) { return !node.containers.empty(); };
  const auto passed = std::ranges::count_if(diagnosis.nodes, [&](const NodeVerdict& node) {
    return node.verdict == Verdict::kPassed && !has_word(node);
  });
  if (!by.cells.empty() && passed > 0 && std::ranges::any_of(diagnosis.nodes, has_word))
    out.push_back(of_nodes("NUMA cells on nodes that fit", static_cast<std::size_t>(passed), by.cells));
  if (!by.failed_cells.empty() && without > 0)
    out.push_back(of_nodes("NUMA cells that do not fit, on nodes that fail", without, by.failed_cells));
  return out;
}

std::string lacks_extender(std::string_view error) {
  return said("what an extender would say (it is ignorable, so it was skipped when asking it failed): ",
              beginning_of(error, kLongestLine));
}

std::string lacks_room() {
  return "the rest of what was said of the attempt: flowtap keeps at most " +
         std::to_string(Attempt::kMostBytes >> 20U) + " MiB and " + grouped(Attempt::kMostNodes) +
         " nodes of one";
}

std::string lacks_rest(bool by_flowtap) {
  return "the rest of the scheduler's sentence: " +
         (by_flowtap
              ? "flowtap keeps at most " + std::to_string(Attempt::kLongestSummary >> 10U) + " KiB of it"
              : std::string("its line is cut off in the log"));
}

std::vector<std::string> lacks_nodes(const Diagnosis& diagnosis, std::string_view by) {
  std::vector<std::string> out;
  std::array<std::size_t, kCounted.size()> nodes{};
  std::size_t others = 0;
  if (by.empty()) by = kAnyScheduler;
  const FailedNodes failed = failed_nodes(diagnosis);
  if (is_volcanos(diagnosis.filter.summary) && failed.others > 0)
    return {failed.at_most ? said("nodes that Volcano only counts: ", kByVolcano)
                           : of_nodes("nodes that Volcano only counts", failed.others, kByVolcano)};
  for (const NodesReason& one : failed.unnamed) {
    const auto* const found = std::ranges::find_if(
        kCounted, [&](const OnlyCounted& counted) { return one.reason.contains(counted.reason); });
    auto& sum =
        found != kCounted.end() ? nodes.at(static_cast<std::size_t>(found - kCounted.begin())) : others;
    sum += one.nodes;
  }
  // A node with several reasons is one node, and has them from one plugin: the rows do not share it.
  std::size_t left = failed.others;
  const auto add = [&](std::string_view what, std::size_t counted, std::string_view named) {
    const std::size_t there = std::min(counted, left);
    left -= there;
    if (there > 0)
      out.push_back(of_nodes(what, there, named.starts_with(' ') ? said(by, named) : std::string(named)));
  };
  for (std::size_t i = 0; i < kCounted.size(); ++i)
    add(kCounted.at(i).nodes, nodes.at(i), kCounted.at(i).named);
  add(said("nodes that ", by, " only counts"), others, kCountedOnly);
  const auto wordless = std::ranges::find(failed.by_reason, "", &NodesReason::reason);
  // What is cut off may have counted them.
  const bool cut = diagnosis.filter.summary.ends_with(kCutOff);
  if (cut || diagnosis.reasons.empty() || wordless == failed.by_reason.end()) return out;
  const auto named =
      static_cast<std::size_t>(std::ranges::count_if(diagnosis.nodes, [](const NodeVerdict& node) {
        return node.verdict == Verdict::kFailed && reason_of(node).empty();
      }));
  if (wordless->nodes > named)
    out.push_back("reasons of nodes that no reason counts (" + grouped(wordless->nodes - named) +
                  "): an extender turned them down without a word, and its own log says why; or the pod is "
                  "meant for other nodes by name, as a DaemonSet's pods are");
  return out;
}

}  // namespace flowtap::diagnosis
