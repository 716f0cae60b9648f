// Which pairs of letters follow each other in a text. A text matches a pattern only if it has all pairs that the pattern's own words
// have, so a table of hundreds of patterns can pass over nearly all of its rows without a look at their letters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flowtap::diagnosis {

class LetterPairs {
 public:
  /// Those of a text, where its beginning and its end are letters, too.
  [[nodiscard]] static constexpr LetterPairs of_text(std::string_view text) {
    LetterPairs out;
    if (!text.empty()) out.add_words(kBorder, text, kBorder);
    return out;
  }

  /// Those that each text has which matches the pattern (text_pattern.hpp).
  [[nodiscard]] static constexpr LetterPairs of_pattern(std::string_view pattern) {
    LetterPairs out;
    char before = kBorder;
    while (!pattern.empty()) {
      const std::string_view words = pattern.substr(0, pattern.find('<'));
      pattern.remove_prefix(words.size());
      const char behind = pattern.empty() ? kBorder : kAnything;
      if (!words.empty()) out.add_words(before, words, behind);
      const std::size_t close = pattern.find('>');
      if (close == std::string_view::npos) break;
      pattern.remove_prefix(close + 1);
      before = kAnything;
    }
    return out;
  }

  /// False: a text with these pairs cannot match a pattern with those. True: it may.
  [[nodiscard]] constexpr bool has_all(const LetterPairs& those) const {
    return ((those.bits_[0] & ~bits_[0]) | (those.bits_[1] & ~bits_[1])) == 0;
  }

 private:
  static constexpr char kBorder = '\0';
  static constexpr char kAnything = '<';  // what a place begins with

  // Several pairs share a bit, so that all of them fit into two words.
  constexpr void add(char first, char second) {
    const unsigned both = static_cast<unsigned char>(first) * 33U + static_cast<unsigned char>(second);
    bits_[both / 64 % 2] |= std::uint64_t{1} << both % 64;
  }

  constexpr void add_words(char before, std::string_view words, char behind) {
    if (before != kAnything) add(before, words.front());
    for (std::size_t i = 1; i < words.size(); ++i) add(words[i - 1], words[i]);
    if (behind != kAnything) add(words.back(), behind);
  }

  std::array<std::uint64_t, 2> bits_{};
};

}  // namespace flowtap::diagnosis
