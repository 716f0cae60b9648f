// The diagnosis of an attempt: which container of a node failed, and how the phases went.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/attempts/lacks.hpp"
#include "explain/diagnosis/counted_as.hpp"
#include "explain/diagnosis/fit_error.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kTooFewCards = "NodeInsufficientDevice";

// The NUMA-aware scheduler counts a node so, whatever it says of its cells.
constexpr std::string_view kCannotAlign = "cannot align ";

std::size_t counted_for_cells(const std::vector<NodesReason>& reasons) {
  std::size_t sum = 0;
  for (const NodesReason& one : reasons)
    if (one.reason.starts_with(kCannotAlign)) sum += one.nodes;
  return sum;
}

// Other versions may have other words for it.
bool are_known(const std::vector<NodesReason>& reasons) {
  return std::ranges::all_of(reasons,
                             [](const NodesReason& one) { return advice_row(one.reason) != nullptr; });
}

// How many nodes are counted for what is said of a node.
std::size_t counted_for(std::string_view reason, const std::vector<NodesReason>& reasons) {
  std::vector<std::string> words = counted_as(reason);
  words.emplace_back(reason);
  std::size_t sum = 0;
  for (const NodesReason& one : reasons)
    if (std::ranges::find(words, one.reason) != words.end()) sum += one.nodes;
  return sum;
}

}  // namespace

// A node with too few cards from the start is not tried.
bool Attempt::has_untold() const {
  const auto looked_at = std::ranges::count_if(nodes_, [](const auto& one) {
    return one.second.verdict == Verdict::kFailed && one.second.reason.view() != kTooFewCards;
  });
  return tried_ > allocated_ + static_cast<std::size_t>(looked_at);
}

// A node is tried for each container that asks for devices, in their order, up to the first that does not fit.
std::optional<std::size_t> Attempt::failed_container(const Node& node, bool untold) const {
  if (node.index) return node.index;
  if (requests_.empty()) return containers_.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt;
  const auto asks = [](std::size_t kinds) { return kinds > 0; };
  const auto first = std::ranges::find_if(requests_, asks);
  if (std::ranges::count_if(requests_, asks) == 1) return static_cast<std::size_t>(first - requests_.begin());
  if (unplaced_ > 0 || untold) return std::nullopt;
  std::size_t until = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (until += requests_[i]; until > node.allocated) return i;
  return std::nullopt;
}

// There are verdicts, and no other ones.
bool Attempt::fails_on_all_nodes() const {
  bool any = false;
  for (const auto& [name, node] : nodes_) {
    if (node.verdict == Verdict::kPassed) return false;
    any = any || node.verdict == Verdict::kFailed;
  }
  return any;
}

bool Attempt::is_unsaid(const Node& node) {
  return node.verdict == Verdict::kFailed && node.reason.empty() && node.cards.empty() && !has_place(node);
}

// Up to 2.5 HAMi says in one line why a node fails, without the node, and in another line that the node fails. The lines of
// several nodes stand between each other. If there are as many reasons as such nodes, and all are the same, each node has this
// reason; otherwise nobody knows which node has which.
std::string_view Attempt::unsaid_reason() const {
  const auto is_first = [&](const std::string& reason) { return reason == reasons_.front(); };
  const auto unsaid = std::ranges::count_if(nodes_, [](const auto& one) { return is_unsaid(one.second); });
  return std::cmp_equal(unsaid, reasons_.size()) && std::ranges::all_of(reasons_, is_first) && unsaid > 0
             ? std::string_view(reasons_.front())
             : std::string_view();
}

NodeVerdict Attempt::verdict_of(const std::string& name, const Node& node, std::string_view unsaid,
                                bool untold) const {
  NodeVerdict out{.name = name,
                  .verdict = node.verdict,
                  .score = 0,
                  .containers = {},
                  .reason = {},
                  .cards = {},
                  .cells = {},
                  .line = node.line};
  out.cards.reserve(node.cards.size());
  for (const Card& card : node.cards)
    out.cards.push_back({std::string(card.name.view()), std::string(card.reason.view())});
  const std::string reason_of_node(is_unsaid(node) ? unsaid : node.reason.view());
  const bool named = requests_.empty() || requests_.size() == containers_.size();
  const auto pass = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      out.containers.push_back({containers_[i], Verdict::kPassed, {}, {}});
  };
  for (const Place& place : node.places) {
    if (place.verdict == Verdict::kNone) continue;
    std::string reason = place.verdict == Verdict::kFailed ? place.reason : std::string();
    if (!reason.empty() && !place.resource.empty()) reason.append(": ").append(place.resource);
    if (!place.container.empty()) {
      out.containers.push_back(
          {place.container, place.verdict, std::move(reason), place.cell, place.line, cells_of(place)});
      continue;
    }
    out.reason = std::move(reason);
    out.cells = cells_of(place);
    if (out.line.empty()) out.line = place.line;
  }
  if (has_place(node)) {
    if (out.reason.empty() && node.verdict == Verdict::kFailed) out.reason = reason_of_node;
    if (node.verdict == Verdict::kPassed) out.score = node.score;
    return out;
  }
  if (node.verdict == Verdict::kPassed) {
    out.score = node.score;
    if (named) pass(containers_.size());
    return out;
  }
  const auto failed = failed_container(node, untold);
  if (!failed || !named || *failed >= containers_.size()) {
    out.reason = reason_of_node;
    return out;
  }
  pass(*failed);
  out.containers.push_back({containers_[*failed], Verdict::kFailed, reason_of_node, {}});
  return out;
}

// Nodes that failed beyond as many as there are were looked at before the others, in an attempt whose end was not said.
void Attempt::keep_latest(std::vector<NodeVerdict>& nodes, std::size_t most) const {
  const auto failed = [](const NodeVerdict& node) { return node.verdict == Verdict::kFailed; };
  const auto told = [this](const NodeVerdict& node) { return nodes_.find(node.name)->second.told; };
  std::vector<std::uint32_t> all;
  for (const NodeVerdict& node : nodes)
    if (failed(node)) all.push_back(told(node));
  if (all.size() <= most) return;
  std::ranges::sort(all, std::ranges::greater());
  const std::uint32_t before = all[most];
  std::erase_if(nodes, [&](const NodeVerdict& node) { return failed(node) && told(node) <= before; });
}

// It asks its plugins once more as if other pods were gone, and does not count what they say then; up to 1.34 some of that is said
// from -v=4 on, and only from -v=5 on what it is about. So more nodes may be named with a reason than are counted, or nodes with a
// reason that none is counted for. Those that were named first are the ones that count.
void Attempt::keep_counted(std::vector<NodeVerdict>& nodes, const std::vector<NodesReason>& reasons) const {
  if (nodes.empty()) return;
  std::map<std::string, std::vector<std::uint32_t>> said;  // by the reason, when
  const std::size_t for_cells = counted_for_cells(reasons);
  const bool counts_cells = for_cells > 0 || are_known(reasons);
  const auto failed_at = [this](const NodeVerdict& node) { return nodes_.find(node.name)->second.failed; };
  // Empty: it need not be counted in words that are known.
  const auto as = [&](const NodeVerdict& node) -> std::string {
    if (node.verdict != Verdict::kFailed) return {};
    if (fails_by_cells(nodes_.find(node.name)->second))
      return std::string(counts_cells ? kCannotAlign : std::string_view());
    return is_counted_by_words(node.reason) ? node.reason : std::string();
  };
  for (const NodeVerdict& node : nodes)
    if (std::string reason = as(node); !reason.empty()) said[std::move(reason)].push_back(failed_at(node));
  for (auto& [reason, times] : said) {
    std::ranges::sort(times);
    times.resize(std::min(times.size(), reason == kCannotAlign ? for_cells : counted_for(reason, reasons)));
  }
  std::erase_if(nodes, [&](const NodeVerdict& node) {
    const auto found = said.find(as(node));
    if (found == said.end()) return false;
    const std::vector<std::uint32_t>& times = found->second;
    return times.empty() || failed_at(node) > times.back();
  });
}

std::string_view Attempt::called() const {
  if (by_ == kOneOfSeveral || (by_.empty() && others_spoke_ && !own_spoke_)) return {};
  return by_.empty() ? scheduler_->name : by_;
}

Diagnosis Attempt::in_short() const {
  Diagnosis out;
  out.filter = filter_.says;
  out.bind = bind_.says;
  if (has_node_ && out.bind.verdict != Verdict::kPassed) {
    // What its own scheduler said against it is no reason for its node.
    if (out.filter.verdict == Verdict::kFailed) out.filter = {};
    out.filter.verdict = Verdict::kPassed;
    out.bind = {.verdict = Verdict::kPassed, .summary = {}, .line = {}};
  }
  out.scheduler = called();
  out.first = first_;
  out.last = last_;
  if (scheduler_->names_all_nodes && out.filter.verdict == Verdict::kNone && fails_on_all_nodes())
    out.filter.verdict = Verdict::kFailed;
  out.decide();
  return out;
}

Diagnosis Attempt::diagnosis() const {
  Diagnosis out = in_short();
  out.uid = uid_;
  out.node = target_;
  out.nominated = nominated_;
  out.victims = victims_;
  out.plugins = plugins_;
  out.notes = notes_;
  out.lifecycle = lifecycle();
  out.attempt = 1;
  const std::string_view unsaid = unsaid_reason();
  const bool untold = has_untold();
  for (const auto& [name, node] : nodes_)
    if (node.verdict != Verdict::kNone) out.nodes.push_back(verdict_of(name, node, unsaid, untold));
  if (scheduler_->counts_nodes && out.filter.verdict == Verdict::kFailed)
    if (auto error = parse_fit_error(out.filter.summary)) {
      if (error->nodes > 0) keep_latest(out.nodes, error->nodes);
      if (!out.filter.summary.ends_with(kCutOff)) keep_counted(out.nodes, error->reasons);
      out.reasons = std::move(error->reasons);
      out.preemption = error->preemption;
    }
  if (!room_error_.empty() && out.filter.verdict == Verdict::kFailed && room_error_in(out.preemption).empty())
    out.preemption = std::string(kPreemption) + room_error_;
  const auto without =
      std::ranges::count_if(nodes_, [](const auto& one) { return lacks_cells_of(one.second); });
  out.lacks = lacks_cards(out, *scheduler_, tells_cards_);
  std::ranges::move(lacks_containers(out, *scheduler_, !containers_.empty(), untold),
                    std::back_inserter(out.lacks));
  std::ranges::move(lacks_cells(out, *scheduler_, static_cast<std::size_t>(without)),
                    std::back_inserter(out.lacks));
  if (!skipped_.empty()) out.lacks.push_back(lacks_extender(skipped_));
  if (cut_) out.lacks.push_back(lacks_room());
  if (out.filter.summary.ends_with(kCutOff) || out.bind.summary.ends_with(kCutOff))
    out.lacks.push_back(lacks_rest(filter_.cut || bind_.cut));
  return out;
}

void Diagnosis::decide() {
  status = Status::kPending;
  if (bind.verdict == Verdict::kPassed)
    status = Status::kSucceeded;
  else if (bind.verdict == Verdict::kFailed || filter.verdict == Verdict::kFailed)
    status = Status::kFailed;
}

}  // namespace flowtap::diagnosis
