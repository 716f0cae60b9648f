// What a scheduler says about the pod's containers and about nodes.
#include <algorithm>
#include <boost/json.hpp>
#include <vector>

#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/counted_as.hpp"
#include "explain/diagnosis/number.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::size_t kNodeEntry = 64;  // about what a map takes for an entry, beside its content

// Each part of a list with commas.
void each_of(std::string_view list, const auto& take) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    take(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace

Attempt::Node* Attempt::node(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return nullptr;
  if (const auto found = nodes_.find(name); found != nodes_.end()) {
    found->second.told = ++told_;
    return &found->second;
  }
  cut_ = cut_ || nodes_.size() >= kMostNodes;
  if (nodes_.size() >= kMostNodes || !has_room(kNodeEntry + sizeof(Node) + name.size())) return nullptr;
  bytes_ += kNodeEntry + sizeof(Node) + name.size();
  Node& added = nodes_.emplace(name, Node{}).first->second;
  added.told = ++told_;
  return &added;
}

void Attempt::add_container(std::string_view name) {
  if (containers_.size() >= kMostContainers || std::ranges::find(containers_, name) != containers_.end() ||
      !has_room(kNodeEntry + name.size()))
    return;
  containers_.emplace_back(name);
  bytes_ += kNodeEntry + name.size();
}

void Attempt::read_requests(std::string_view json) {
  boost::json::error_code error;
  const auto value = boost::json::parse({json.data(), json.size()}, error);
  if (error || !value.is_array()) return;
  requests_.clear();
  for (const auto& container : value.get_array()) {
    if (requests_.size() >= kMostContainers) return;
    std::size_t kinds = 0;
    if (const auto* types = container.if_object())
      for (const auto& [type, request] : *types) {
        const auto* object = request.if_object();
        const auto* nums = object != nullptr ? object->if_contains("Nums") : nullptr;
        if (nums != nullptr && nums->is_int64() && nums->get_int64() > 0) ++kinds;
      }
    requests_.push_back(kinds);
  }
}

void Attempt::add_victim(std::string_view pod) {
  if (pod.empty() || pod.size() > 2 * kLongestName || victims_.size() >= kMostVictims ||
      std::ranges::find(victims_, pod) != victims_.end())
    return;
  victims_.emplace_back(pod);
  bytes_ += sizeof(std::string) + pod.size();
}

void Attempt::add_plugin(std::string_view name) {
  if (name.empty() || plugins_.size() >= kMostPlugins || name.size() > kLongestName ||
      std::ranges::find(plugins_, name) != plugins_.end())
    return;
  plugins_.emplace_back(name);
  bytes_ += sizeof(std::string) + name.size();
}

// The plugins come as JSON, up to about 1.27 as Go's "map[NodeAffinity:{} NodePorts:{}]", or as one name.
void Attempt::read_plugins(std::string_view text) {
  constexpr std::string_view kGoMap = "map[";
  if (text.starts_with(kGoMap)) {
    text.remove_prefix(kGoMap.size());
    for (std::size_t end = 0; (end = text.find(":{}")) != std::string_view::npos;) {
      add_plugin(text.substr(0, end));
      text.remove_prefix(std::min(end + 4, text.size()));
    }
    return;
  }
  if (!text.starts_with('{')) return add_plugin(text);
  boost::json::error_code error;
  const auto value = boost::json::parse({text.data(), text.size()}, error);
  const auto* object = error ? nullptr : value.if_object();
  if (object == nullptr) return;
  for (const auto& [name, nothing] : *object) add_plugin(name);
}

// kube-scheduler asks about a node once, and counts it by what a plugin says then. Any other words about the node come later: then
// it asks whether the node would do without other pods, and counts nothing.
bool Attempt::is_of_later_run(const Node& node, const Fact& fact) const {
  if (!scheduler_->counts_nodes || node.verdict != Verdict::kFailed || node.by_event) return false;
  const bool by_cells = fails_by_cells(node);
  if (fact.kind == FactKind::kAlignFails || fact.kind == FactKind::kNodeLacks)
    return is_counted_by_words(node.reason.view()) && !by_cells;
  if (fact.kind != FactKind::kNodeFails || !is_counted_by_words(fact[Field::kReason])) return false;
  if (by_cells) return true;
  const std::string_view said = node.reason.view();
  return !said.empty() && said != kClaimElsewhere && said != fact[Field::kReason];
}

void Attempt::decide(const Fact& fact, Verdict verdict, const CardPlaces& places, SharedTexts& texts) {
  Node* found = node(fact[Field::kNode]);
  if (found == nullptr || is_of_later_run(*found, fact)) return;
  // A line that only repeats the verdict, for example that the pod is being bound there, says less about why.
  const bool says_more = found->verdict != verdict || found->by_event || !fact[Field::kScore].empty() ||
                         !fact[Field::kReason].empty();
  if (says_more) keep(found->line, fact.line);
  if (found->verdict != Verdict::kFailed) found->failed = found->told;
  found->verdict = verdict;
  found->by_event = false;
  if (verdict == Verdict::kPassed) {
    found->score = number<double>(fact[Field::kScore]).value_or(found->score);
    keep(found->reason, {}, texts);
    forget_cards(*found);
    return;
  }
  const std::string reason = reason_of(*found, fact, places);
  place_cards(*found, reason);
  keep(found->reason, sentence(reason, fact[Field::kError]), texts);
  found->index = number<std::size_t>(fact[Field::kIndex]);
}

// The plugin goes through a pod's containers, or takes the pod as a whole. It leaves the node at the first one that has no place.
void Attempt::align(const Fact& fact, Verdict verdict, SharedTexts& texts) {
  Node* found = node(fact[Field::kNode]);
  if (found == nullptr || is_of_later_run(*found, fact)) return;
  Place* at = place(*found, fact[Field::kContainer]);
  if (at == nullptr) return;
  if (verdict == Verdict::kFailed && found->verdict != verdict) found->failed = found->told;
  found->verdict = verdict;
  found->by_event = false;
  keep(found->line, {});
  const bool is_reason = verdict == Verdict::kFailed && fact.weight >= at->weight;
  if (at->verdict != verdict || is_reason) keep(at->line, fact.line);
  if (at->verdict != verdict || fact.weight >= at->weight) {
    keep(at->reason, fact[Field::kReason]);
    at->weight = fact.weight;
    at->of_node = fact.kind == FactKind::kNodeLacks;
  }
  at->verdict = verdict;
  if (const std::string_view resource = fact[Field::kResource]; !resource.empty())
    keep(at->resource, resource);
  if (const auto cell = number<std::size_t>(fact[Field::kCell])) at->cell = cell;
  settle_cells(*found, *at, fact, texts);
}

// An event has each reason once, with its nodes, but not how many cards. A line about a node has said more.
void Attempt::decide_many(const Fact& fact, SharedTexts& texts) {
  each_of(fact[Field::kNodes], [&](std::string_view name) {
    Node* found = node(name);
    if (found == nullptr || (found->verdict != Verdict::kNone && !found->by_event)) return;
    found->verdict = Verdict::kFailed;
    found->by_event = true;
    keep(found->reason, with_reason(found->reason.view(), fact[Field::kReason]), texts);
    keep(found->line, fact.line);
  });
}

// Keeps the reason without a verdict: only the main scheduler can say what follows from it.
void Attempt::leave_out(const Fact& fact, SharedTexts& texts) {
  Node* found = node(fact[Field::kNode]);
  if (found == nullptr || found->verdict != Verdict::kNone) return;
  keep(found->reason, fact[Field::kReason], texts);
  keep(found->line, fact.line);
}

std::vector<NodeVerdict> Attempt::left_out() const {
  std::vector<NodeVerdict> out;
  for (const auto& [name, node] : nodes_)
    if (node.verdict == Verdict::kNone && !node.reason.empty())
      out.push_back({.name = name,
                     .verdict = Verdict::kFailed,
                     .score = 0,
                     .containers = {},
                     .reason = std::string(node.reason.view()),
                     .cards = {},
                     .line = node.line});
  return out;
}

// These scores have only two digits, so a score from a line is better. The line of the node that is chosen has no score.
void Attempt::score_many(const Fact& fact) {
  each_of(fact[Field::kNodes], [&](std::string_view one) {
    const std::size_t colon = std::min(one.find(':'), one.size());
    const auto score = number<double>(one.substr(std::min(colon + 1, one.size())));
    Node* found = score ? node(one.substr(0, colon)) : nullptr;
    if (found == nullptr || found->verdict == Verdict::kFailed || found->score != 0) return;
    if (found->verdict == Verdict::kNone || *score != 0) keep(found->line, fact.line);
    found->verdict = Verdict::kPassed;
    found->score = *score;
    forget_cards(*found);
  });
}

}  // namespace flowtap::diagnosis
