#include "why_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "explain/diagnosis/advice.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::FailedNodes;
using diagnosis::NodesReason;

// A log may give any number of reasons.
constexpr std::size_t kMostReasons = 5;

/// Some of the nodes: those with certain reasons.
struct Nodes {
  std::size_t sum = 0;   // of the counts of their reasons
  std::size_t most = 0;  // the largest of these counts
  std::size_t sole = 0;  // the part of the sum whose reasons a node has at most one of
  bool of_resources = true;

  Nodes& operator+=(const Nodes& more) {
    sum += more.sum;
    most = std::max(most, more.most);
    sole += more.sole;
    of_resources = of_resources && more.of_resources;
    return *this;
  }
};

/// The words for one node, and for several.
struct Words {
  std::string one;
  std::string many;
  Nodes nodes;
  bool last = false;  // other nodes' reasons say more, however many these are
};

bool begins_with_one_of(std::span<const std::string_view> beginnings, std::string_view text) {
  return std::ranges::any_of(beginnings,
                             [text](std::string_view begins) { return text.starts_with(begins); });
}

// kube-scheduler leaves a node at the first plugin that turns it down. The plugin of resources has a reason for each of them, and those
// of taints and of the selector have one.
Nodes nodes_of(const NodesReason& counted) {
  constexpr std::array<std::string_view, 2> kOfResources = {"Insufficient ", "Too many pods"};
  constexpr std::array<std::string_view, 5> kSole = {
      "node(s) had untolerated taint", "node(s) had taint", "node had untolerated taint",
      "node(s) were unschedulable", "node(s) didn't match Pod's node affinity"};
  return {.sum = counted.nodes,
          .most = counted.nodes,
          .sole = begins_with_one_of(kSole, counted.reason) ? counted.nodes : 0,
          .of_resources = begins_with_one_of(kOfResources, counted.reason)};
}

Words words_for(const NodesReason& counted) {
  const Nodes nodes = nodes_of(counted);
  if (counted.reason.empty())
    return {"is left out without a reason", "are left out without a reason", nodes, true};
  if (const auto advice = diagnosis::advice_for(counted.reason))
    return {printable(advice->lacks.one), printable(advice->lacks.many), nodes,
            advice->mends == diagnosis::Mends::kNone};
  const std::string quoted = in_quotes(counted.reason);
  return {"is turned down: " + quoted, "are turned down: " + quoted, nodes};
}

/// Says how many of the nodes these are.
class Counts {
 public:
  Counts(const std::vector<NodesReason>& reasons, const FailedNodes& failed) : all_(failed.nodes) {
    for (const NodesReason& one : reasons) {
      const Nodes nodes = nodes_of(one);
      sum_ += nodes.sum;
      sole_ += nodes.sole;
      wordless_ = wordless_ || one.reason.empty();
    }
    // A node that no reason counts may have none because another has two.
    each_has_one_ = !failed.at_most && !wordless_ && sum_ == all_;
  }

  /// "3", or "at least 3", and the number.
  [[nodiscard]] std::pair<std::string, std::size_t> of(const Nodes& nodes) const {
    const std::size_t sum = std::min(nodes.sum, all_);
    const bool certain = each_has_one_ || nodes.sole == nodes.sum;
    // Nodes with a reason that is no resource's do not get as far as the plugin of resources.
    const std::size_t left = nodes.of_resources ? all_ - std::min(sole_, all_) : all_;
    const std::size_t least = certain ? sum : std::min(nodes.most, all_);
    const std::size_t most = std::max(least, std::min(sum, left));
    return {(least < most ? "at least " : "") + grouped(least), least};
  }

 private:
  std::size_t all_;
  std::size_t sum_ = 0;
  std::size_t sole_ = 0;
  bool wordless_ = false;
  bool each_has_one_ = false;
};

}  // namespace

std::string reasons_words(const std::vector<NodesReason>& reasons, const FailedNodes& failed) {
  const Counts counts(reasons, failed);
  std::vector<Words> all;
  for (const NodesReason& counted : reasons) {
    Words words = words_for(counted);
    // Two schedulers may have different words for the same thing.
    const auto same = std::ranges::find(all, words.many, &Words::many);
    if (same == all.end())
      all.push_back(std::move(words));
    else
      same->nodes += words.nodes;
  }
  const auto number = [&counts](const Words& words) { return counts.of(words.nodes).second; };
  std::ranges::stable_sort(all, std::ranges::greater{}, number);
  std::ranges::stable_partition(all, [](const Words& words) { return !words.last; });
  if (all.size() > kMostReasons + 1) {
    const auto others = std::span(all).subspan(kMostReasons);
    Nodes nodes = others.front().nodes;
    for (const Words& words : others.subspan(1)) nodes += words.nodes;
    all.resize(kMostReasons);
    all.push_back({"is left out for another reason", "are left out for other reasons", nodes});
  }
  std::string out;
  for (const Words& words : all) {
    const auto [said, nodes] = counts.of(words.nodes);
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", said, nodes == 1 ? words.one : words.many);
  }
  return out;
}

}  // namespace flowtap::cli
