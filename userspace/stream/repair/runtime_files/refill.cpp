#include "stream/repair/runtime_files/refill.hpp"

#include <algorithm>
#include <cstddef>

#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

constexpr auto kNone = std::string_view::npos;

/// A text may be so many times as long as what was written: U+FFFD stands for one byte.
constexpr std::uint64_t kReplacedGrows = kReplacement.size();
/// Comparing the bytes between the sides may cost at most this many times the text. It costs much where matches are many and
/// overlap.
constexpr std::size_t kMostWork = 64;

// Where the bytes between the sides begin, from `from` on.
std::size_t next_match(const Gap& gap, std::string_view text, std::size_t from) {
  while (true) {
    std::size_t at = 0;
    if (gap.before.empty()) {
      if (from > 0) return kNone;
    } else {
      const std::size_t found = text.find(gap.before, from - std::min(from, gap.before.size()));
      if (found == kNone) return kNone;
      at = found + gap.before.size();
    }
    if (gap.length > text.size() - at) return kNone;
    const std::string_view behind = text.substr(at + gap.length);
    if (gap.after.empty() ? behind.empty() : behind.starts_with(gap.after)) return at;
    from = at + 1;
  }
}

// A few bytes can be found anywhere.
bool knows_little(const Gap& gap) {
  return !gap.before.empty() && gap.before.size() + gap.after.size() < kLeastSide;
}

// The text may end before the gap, with what was captured.
bool may_end_before(const Gap& gap, std::string_view text, std::size_t at) {
  return gap.after.empty() && !gap.before.empty() &&
         text.find(gap.before, at - gap.before.size() + 1) != kNone;
}

// Finds both sides exactly this far apart. The match is approximate if several places have different bytes between the sides.
std::optional<Refill> exact_match(const Gap& gap, std::string_view text) {
  const std::size_t first = next_match(gap, text, 0);
  if (first == kNone) return std::nullopt;
  Refill refill{std::string(text.substr(first, gap.length)),
                knows_little(gap) || may_end_before(gap, text, first), first};
  // Each place is compared with the one before it. Where places are equally far apart, as among identical lines, the bytes that
  // they share have been compared already.
  std::size_t step = 0;
  std::size_t same_to = 0;
  std::size_t work = 0;
  std::size_t last = first;
  for (std::size_t at = next_match(gap, text, first + 1); at != kNone; at = next_match(gap, text, at + 1)) {
    if (at - last != step) same_to = last;
    step = at - last;
    const std::size_t from = std::max(same_to, last);
    same_to = last + gap.length;
    const std::size_t size = same_to - from;
    work += size;
    if (work / kMostWork > text.size() || text.substr(from, size) != text.substr(from + step, size)) {
      refill.approximate = true;
      return refill;
    }
    last = at;
  }
  return refill;
}

// Shortens a side from its far end until it is found. A shorter side is found no less often, so the search ends there: one place
// is the answer, and several are none.
template <typename Shorter>
std::string_view longest_known(std::string_view text, std::string_view side, Shorter shorter) {
  while (side.size() >= kLeastSide && !text.contains(side)) side = shorter(side);
  if (side.size() < kLeastSide || text.find(side) != text.rfind(side)) return {};
  return side;
}

std::optional<std::size_t> end_of_before(std::string_view text, std::string_view before) {
  if (before.empty()) return 0;
  before =
      longest_known(text, before, [](std::string_view side) { return side.substr((side.size() + 1) / 2); });
  if (before.empty()) return std::nullopt;
  return text.find(before) + before.size();
}

std::optional<std::size_t> start_of_after(std::string_view text, std::string_view after) {
  if (after.empty()) return text.size();
  after = longest_known(text, after, [](std::string_view side) { return side.substr(0, side.size() / 2); });
  if (after.empty()) return std::nullopt;
  return text.find(after);
}

}  // namespace

std::optional<Refill> find_missing(const Gap& gap, std::string_view text, RuntimeFormat format) {
  auto refill = exact_match(gap, text);
  const bool drops = format == RuntimeFormat::kCri;
  if (refill) return refill;
  if (drops) refill = exact_match(gap, with_carriage_returns(text));
  if (refill) {
    refill->at = kNone;
    return refill;
  }
  const std::string before = drops ? as_containerd_keeps(gap.before) : std::string(gap.before);
  const std::string after = drops ? as_containerd_keeps(gap.after) : std::string(gap.after);
  const auto begin = end_of_before(text, before);
  const auto end = start_of_after(text, after);
  if (!begin || !end || *end <= *begin) return std::nullopt;
  const std::uint64_t most = format == RuntimeFormat::kJsonFile ? gap.length * kReplacedGrows : gap.length;
  if (*end - *begin > most) return std::nullopt;
  return Refill{std::string(text.substr(*begin, *end - *begin)), true, *begin};
}

}  // namespace flowtap::flow
