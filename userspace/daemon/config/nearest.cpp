#include "daemon/config/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"

namespace flowtap {
namespace {

/// Ignores differences that people in a hurry make.
std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word) out += c == '.' || c == '-' || c == ' ' ? '_' : to_lower(c);
  return out;
}

/// Edit distance that counts two swapped neighbours once (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, std::move(row));
  }
  return last.back();
}

}  // namespace

std::string_view nearest(std::string_view wanted, std::span<const std::string_view> candidates) {
  static constexpr std::size_t kLongest =
      64;  // a longer one is not a typing error, and comparing costs its length squared
  if (wanted.size() > kLongest) return {};
  const std::string word = folded(wanted);
  std::string_view best;
  // One error in four letters, and always at least one.
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 4) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t d = distance(word, folded(candidate));
    if (d >= best_distance) continue;
    best_distance = d;
    best = candidate;
  }
  return best;
}

}  // namespace flowtap
