// Which of hundreds of patterns a text may match, so that nearly all of them are passed over without a look at their letters.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "explain/diagnosis/facts/letter_pairs.hpp"

namespace flowtap::diagnosis {

class PatternIndex {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// `place`: of the pattern among all in the order in which they are tried. A later pattern has a later place.
  void add(std::string_view pattern, std::size_t place) {
    if (!pattern.empty())
      of_letter(pattern).push_back({.place = place, .pairs = LetterPairs::of_pattern(pattern)});
  }

  /// The first place for which fits(place) holds, which is asked of each pattern that an earlier one does not make needless and the
  /// text may match; kNone: there is none. An empty text matches none.
  template <typename Fits>
  [[nodiscard]] std::size_t first(std::string_view text, Fits&& fits) const {
    if (text.empty()) return kNone;
    const LetterPairs pairs = LetterPairs::of_text(text);
    const std::size_t own = first(of_letter(text), pairs, kNone, fits);
    return first(of_letter("<"), pairs, own, fits);
  }

 private:
  struct Entry {
    std::size_t place = 0;
    LetterPairs pairs;
  };
  using Entries = std::vector<Entry>;

  template <typename Fits>
  [[nodiscard]] static std::size_t first(const Entries& entries, const LetterPairs& pairs, std::size_t before,
                                         Fits&& fits) {
    for (const Entry& entry : entries) {
      if (entry.place >= before) break;
      if (pairs.has_all(entry.pairs) && fits(entry.place)) return entry.place;
    }
    return before;
  }

  [[nodiscard]] Entries& of_letter(std::string_view text) {
    return entries_[static_cast<unsigned char>(text.front())];
  }
  [[nodiscard]] const Entries& of_letter(std::string_view text) const {
    return entries_[static_cast<unsigned char>(text.front())];
  }

  std::array<Entries, 256> entries_;  // by a pattern's first letter; that of a place is '<'
};

}  // namespace flowtap::diagnosis
