// What a scheduler says about nodes' cards, and why they make a node fail.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/printable.hpp"
#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

// HAMi counts cards with this reason for which it has no line.
constexpr std::string_view kCountedTwice = "NumaNotFit";

}  // namespace

// Cards that do not fit this request are not the reason why a later request fails.
void Attempt::allocate(const Fact& fact, const CardPlaces& places) {
  ++allocated_;
  std::string_view name = fact[Field::kNode];  // only HAMi 2.6 says it
  each_card(fact[Field::kCards], [&](std::string_view card) {
    if (name.empty()) name = places.node_of(card);
  });
  Node* found = node(name);
  if (found == nullptr) {
    ++unplaced_;
    return;
  }
  ++found->allocated;
  forget_cards(*found);
}

void Attempt::fail_card(const Fact& fact, const CardPlaces& places, SharedTexts& texts) {
  tells_cards_ = true;
  const std::string_view card = fact[Field::kCard];
  const std::string_view said = fact[Field::kNode];
  const std::string_view name = said.empty() ? places.node_of(card) : said;
  Node* found = node(name);
  if (found == nullptr && !name.empty()) return;
  std::vector<Card>& cards = found != nullptr ? found->cards : loose_;
  if (cards.size() >= (found != nullptr ? kMostCards : CardPlaces::kMost) || !has_room(sizeof(Card))) return;
  cards.emplace_back();
  bytes_ += sizeof(Card);
  keep(cards.back().name, card, texts);
  keep(cards.back().reason, fact[Field::kReason], texts);
}

// A node's verdict counts cards that were named before it, card by card. If exactly as many cards without a node have the reason,
// they are this node's. If more have it, some are of nodes whose verdicts are still to come.
void Attempt::place_cards(Node& node, std::string_view reason) {
  if (loose_.empty()) return;
  std::vector<std::string_view> certain;
  each_reason(reason, [&](std::string_view one) {
    const std::string_view why = without_counts(one);
    const auto has_it = [why](const Card& card) { return card.reason.view() == why; };
    const auto told = std::ranges::count_if(node.cards, has_it) + std::ranges::count_if(loose_, has_it);
    if (why != kCountedTwice && std::cmp_equal(told, cards_in(one))) certain.push_back(why);
  });
  if (certain.empty()) return;
  const auto stays = [&](const Card& card) {
    return std::ranges::find(certain, card.reason.view()) == certain.end();
  };
  const auto placed = std::ranges::stable_partition(loose_, stays);
  node.cards.insert(node.cards.end(), std::make_move_iterator(placed.begin()),
                    std::make_move_iterator(placed.end()));
  loose_.erase(placed.begin(), placed.end());
}

// A scheduler that gives no reason here gave it before, for the cards or in a line about the node (unsaid_reason()).
std::string Attempt::reason_of(const Node& node, const Fact& fact, const CardPlaces& places) {
  std::string reason = sorted_reason(beginning_of(fact[Field::kReason], kLongestText));
  if (!reason.empty()) {
    if (const auto said = std::ranges::find(reasons_, reason); said != reasons_.end()) take_reason(said);
    return reason;
  }
  std::vector<std::string_view> cards;
  cards.reserve(node.cards.size());
  for (const Card& card : node.cards) cards.emplace_back(card.reason.view());
  return counted_reasons(cards, node.cards.empty() ? 0 : places.cards_beside(node.cards.front().name.view()));
}

void Attempt::forget_cards(Node& node) {
  bytes_ -= node.cards.size() * sizeof(Card);
  for (const Card& card : node.cards) shared_ -= card.name.view().size() + card.reason.view().size();
  node.cards.clear();
}

void Attempt::add_reason(std::string_view reason) {
  reason = beginning_of(reason, kLongestText);
  if (reasons_.size() >= kMostNodes || !has_room(sizeof(std::string) + reason.size())) return;
  reasons_.emplace_back(reason);
  bytes_ += sizeof(std::string) + reason.size();
}

void Attempt::take_reason(std::vector<std::string>::iterator at) {
  bytes_ -= sizeof(std::string) + at->size();
  reasons_.erase(at);
}

}  // namespace flowtap::diagnosis
