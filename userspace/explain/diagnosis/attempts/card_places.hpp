// Which node a card is on, as a scheduler's log tells it. Its lines about cards do not name the node.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace flowtap::diagnosis {

class CardPlaces {
 public:
  /// As many as a cluster of some thousand nodes has.
  static constexpr std::size_t kMost = 65'536;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

  /// `cards` is JSON in which each card is an object with an "id" or "UUID", or Go's list of structures that begin with one.
  /// `vendor`: these are all of the node's cards of that vendor; empty: they are some of its cards.
  void add(std::string_view node, std::string_view cards, std::string_view vendor = {});
  /// Empty: nobody has said.
  [[nodiscard]] std::string_view node_of(std::string_view card) const;
  /// How many cards of the same vendor its node has; 0: nobody has said.
  [[nodiscard]] std::size_t cards_beside(std::string_view card) const;
  /// About how much it takes.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Place {
    std::string node;
    std::string vendor;  // empty: nobody has said
  };

  std::map<std::string, Place, std::less<>> places_;
  std::map<std::string, std::size_t> counts_;  // by node and vendor
  std::size_t bytes_ = 0;
};

/// Takes each card in such a text.
void each_card(std::string_view cards, const std::function<void(std::string_view)>& take);

}  // namespace flowtap::diagnosis
