// Patterns for the names of pods, units and containers: `*` stands for any run of characters, `?` for one. There is no
// more to them, so that a match costs at most the product of the two lengths, however a tenant names his pods.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::flow {

/// Whether all of `name` matches. A pattern with more than kMostStars stars matches nothing.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view name);

inline constexpr std::size_t kMostStars = 16;

/// A pattern with parentheses around the parts of a name that are wanted.
class NamePattern {
 public:
  static constexpr std::size_t kMostParts = 9;
  using Parts = std::array<std::string_view, kMostParts>;

  /// Parentheses stand side by side, never inside each other. An Error says what is wrong, as in "has no ) for its (".
  [[nodiscard]] static Result<NamePattern> parse(std::string_view pattern);

  /// How many pairs of parentheses there are.
  [[nodiscard]] std::size_t parts() const { return marks_.size(); }

  /// What stands in the parentheses; nothing where the name does not match. Where a name matches in several ways, the
  /// first star takes as much as it can, then the second, and so on, as in regular expressions.
  [[nodiscard]] std::optional<Parts> match(std::string_view name) const;

 private:
  struct Mark {
    std::size_t begin;
    std::size_t end;
  };
  std::string text_;  // without the parentheses
  std::vector<Mark> marks_;
};

}  // namespace flowtap::flow
