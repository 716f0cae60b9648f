#include "identity/patterns/name_pattern.hpp"

#include <algorithm>
#include <span>

namespace flowtap::flow {
namespace {

/// The text between two stars, and where it was found in the name.
struct Piece {
  std::string_view text;
  std::size_t at = 0;  // in the pattern
  std::size_t found = 0;
  [[nodiscard]] std::size_t behind() const { return found + text.size(); }
};
struct Pieces {
  std::array<Piece, kMostStars + 1> all;
  std::size_t count = 0;
  [[nodiscard]] std::span<Piece> view() { return {all.data(), count}; }
};

bool stands_at(std::string_view name, std::size_t at, std::string_view piece) {
  return std::ranges::equal(name.substr(at, piece.size()), piece,
                            [](char c, char wanted) { return wanted == '?' || c == wanted; });
}

std::optional<Pieces> pieces_of(std::string_view pattern) {
  Pieces pieces;
  for (std::size_t at = 0;;) {
    if (pieces.count == pieces.all.size()) return std::nullopt;
    const std::size_t star = pattern.find('*', at);
    pieces.all.at(pieces.count++) = {pattern.substr(at, star - at), at};
    if (star == std::string_view::npos) return pieces;
    at = star + 1;
  }
}

// Works from the end: each piece is placed as far back as possible. Then each star, from the first on, gets as much as
// it can have.
bool find(std::span<Piece> pieces, std::string_view name) {
  const Piece& first = pieces.front();
  const Piece& last = pieces.back();
  if (first.text.size() > name.size() || !stands_at(name, 0, first.text)) return false;
  if (pieces.size() == 1) return first.text.size() == name.size();
  std::size_t end = name.size();
  for (std::size_t i = pieces.size() - 1; i > 0; --i) {
    Piece& piece = pieces[i];
    if (first.behind() + piece.text.size() > end) return false;
    piece.found = end - piece.text.size();
    while (!stands_at(name, piece.found, piece.text)) {
      if (&piece == &last || piece.found == first.behind()) return false;
      --piece.found;
    }
    end = piece.found;
  }
  return true;
}

// Where in the name the pattern's character at `at` stands, or where the text begins that a star there stands for.
std::size_t place_of(std::size_t at, std::span<const Piece> pieces) {
  std::size_t place = 0;
  for (const Piece& piece : pieces)
    if (piece.at <= at) place = piece.found + (at - piece.at);
  return place;
}

}  // namespace

bool fits(std::string_view pattern, std::string_view name) {
  auto pieces = pieces_of(pattern);
  return pieces && find(pieces->view(), name);
}

Result<NamePattern> NamePattern::parse(std::string_view pattern) {
  NamePattern parsed;
  constexpr std::size_t kClosed = std::string::npos;
  std::size_t open = kClosed;
  for (const char c : pattern) {
    if (c == '(') {
      if (open != kClosed) return fail("has a ( inside of parentheses");
      if (parsed.marks_.size() == kMostParts)
        return fail("has more than " + std::to_string(kMostParts) + " parentheses");
      open = parsed.text_.size();
    } else if (c == ')') {
      if (open == kClosed) return fail("has no ( for its )");
      parsed.marks_.push_back({open, parsed.text_.size()});
      open = kClosed;
    } else {
      parsed.text_ += c;
    }
  }
  if (open != kClosed) return fail("has no ) for its (");
  if (parsed.text_.empty()) return fail("fits nothing");
  if (!pieces_of(parsed.text_)) return fail("has more than " + std::to_string(kMostStars) + " stars");
  return parsed;
}

std::optional<NamePattern::Parts> NamePattern::match(std::string_view name) const {
  auto pieces = pieces_of(text_);
  if (!pieces || !find(pieces->view(), name)) return std::nullopt;
  Parts parts;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const std::size_t begin = place_of(marks_[i].begin, pieces->view());
    parts.at(i) = name.substr(begin, place_of(marks_[i].end, pieces->view()) - begin);
  }
  return parts;
}

}  // namespace flowtap::flow
