#include "explain/diagnosis/attempts/card_places.hpp"

#include <boost/json.hpp>
#include <utility>

#include "explain/diagnosis/facts/fact.hpp"

namespace flowtap::diagnosis {
namespace {

namespace json = boost::json;

constexpr std::size_t kCardEntry = 128;  // about what a map takes for an entry, beside the texts
constexpr std::size_t kDepth = 32;       // deeper than any scheduler nests

void walk(const json::value& value, const std::function<void(std::string_view)>& take) {
  if (const auto* list = value.if_array()) {
    for (const json::value& item : *list) walk(item, take);
  } else if (const auto* object = value.if_object()) {
    for (const char* name : {"id", "UUID"})
      if (const auto* id = object->if_contains(name); id != nullptr && id->is_string())
        take(id->get_string());
    // The whole object of the node stands there too, beside its devices.
    for (const auto& [name, member] : *object)
      if (name != "Node") walk(member, take);
  }
}

// "{GPU-1-a 0 10 40960 ...} {GPU-1-b ...}]"
void each_word_behind_a_brace(std::string_view text, const std::function<void(std::string_view)>& take) {
  for (std::size_t at = 0; (at = text.find('{', at)) != std::string_view::npos;) {
    const std::size_t close = text.find('}', ++at);
    if (close == std::string_view::npos) return;
    const std::string_view card = text.substr(at, close - at);
    if (const std::size_t space = card.find(' '); space != std::string_view::npos && space > 0)
      take(card.substr(0, space));
    if (text.substr(close + 1).starts_with(']')) return;
    at = close;
  }
}

std::string kind_of(std::string_view node, std::string_view vendor) {
  return std::string(node).append(1, ' ').append(vendor);
}

}  // namespace

void each_card(std::string_view cards, const std::function<void(std::string_view)>& take) {
  json::parse_options options;
  options.max_depth = kDepth;
  json::error_code error;
  const json::value value = json::parse({cards.data(), cards.size()}, error, {}, options);
  if (error)
    each_word_behind_a_brace(cards, take);
  else
    walk(value, take);
}

void CardPlaces::add(std::string_view node, std::string_view cards, std::string_view vendor) {
  if (node.empty() || node.size() > kLongestName || vendor.size() > kLongestName) return;
  const auto has_room = [&](std::size_t entries, std::size_t more) {
    return entries < kMost && bytes_ + more <= kMostBytes;
  };
  std::size_t count = 0;
  each_card(cards, [&](std::string_view card) {
    ++count;
    if (card.size() > kLongestName) return;
    if (const auto known = places_.find(card); known != places_.end()) {
      Place& place = known->second;
      if (vendor.empty() && place.node == node) return;
      bytes_ += node.size() + vendor.size();
      bytes_ -= place.node.size() + place.vendor.size();
      place = {std::string(node), std::string(vendor)};
    } else if (const std::size_t more = kCardEntry + card.size() + node.size() + vendor.size();
               has_room(places_.size(), more)) {
      places_.emplace(card, Place{std::string(node), std::string(vendor)});
      bytes_ += more;
    }
  });
  if (vendor.empty() || count == 0) return;
  std::string kind = kind_of(node, vendor);
  if (const auto known = counts_.find(kind); known != counts_.end()) {
    known->second = count;
  } else if (const std::size_t more = kCardEntry + kind.size(); has_room(counts_.size(), more)) {
    counts_.emplace(std::move(kind), count);
    bytes_ += more;
  }
}

std::string_view CardPlaces::node_of(std::string_view card) const {
  const auto found = places_.find(card);
  return found == places_.end() ? std::string_view{} : std::string_view(found->second.node);
}

std::size_t CardPlaces::cards_beside(std::string_view card) const {
  const auto place = places_.find(card);
  if (place == places_.end()) return 0;
  const auto found = counts_.find(kind_of(place->second.node, place->second.vendor));
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace flowtap::diagnosis
