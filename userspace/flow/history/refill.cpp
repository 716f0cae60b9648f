#include "flow/history/refill.hpp"

#include <algorithm>
#include <cstddef>

namespace flowtap::flow {
namespace {

constexpr auto kNone = std::string_view::npos;

/// Less than this of a side says nothing.
constexpr std::size_t kLeastSide = 24;
/// U+FFFD is three bytes, and stands for one.
constexpr std::uint64_t kReplacedGrows = 3;
/// Comparing what is between the sides may cost so often the text; it does where matches are many and overlap.
constexpr std::size_t kMostWork = 64;

std::string with_carriage_returns(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) out.append(c == '\n' ? 1 : 0, '\r').append(1, c);
  return out;
}

// As containerd keeps it. What comes behind a "\r" at the end is in the gap, and is a newline more often than not.
std::string without_carriage_returns(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || (i + 1 < text.size() && text[i + 1] != '\n')) out += text[i];
  return out;
}

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

// A few bytes are found anywhere.
bool knows_little(const Gap& gap) {
  return !gap.before.empty() && !gap.after.empty() && gap.before.size() + gap.after.size() < kLeastSide;
}

// Both sides exactly that far apart; approximate if there are such places with different bytes between them.
std::optional<Refill> exact_match(const Gap& gap, std::string_view text) {
  const std::size_t first = next_match(gap, text, 0);
  if (first == kNone) return std::nullopt;
  Refill refill{std::string(text.substr(first, gap.length)), knows_little(gap)};
  // Each place is compared with the one before it. Where they are equally far apart, as among identical lines, what
  // they share has been compared already.
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

// The only place of `side`; nothing if there is none, or another one.
std::optional<std::size_t> only_place(std::string_view text, std::string_view side) {
  const std::size_t at = text.find(side);
  if (at == kNone || text.find(side, at + 1) != kNone) return std::nullopt;
  return at;
}

// The bytes next to the gap count most, so a side is shortened from its far end.
std::optional<std::size_t> end_of_before(std::string_view text, std::string_view before) {
  if (before.empty()) return 0;
  for (; before.size() >= kLeastSide; before = before.substr((before.size() + 1) / 2))
    if (const auto at = only_place(text, before)) return *at + before.size();
  return std::nullopt;
}

std::optional<std::size_t> start_of_after(std::string_view text, std::string_view after) {
  if (after.empty()) return text.size();
  for (; after.size() >= kLeastSide; after = after.substr(0, after.size() / 2))
    if (const auto at = only_place(text, after)) return at;
  return std::nullopt;
}

}  // namespace

std::optional<Refill> find_missing(const Gap& gap, std::string_view text, HistoryFormat format) {
  auto refill = exact_match(gap, text);
  const bool drops = format == HistoryFormat::kCri;
  if (!refill && drops) refill = exact_match(gap, with_carriage_returns(text));
  if (refill) return refill;
  const std::string before = drops ? without_carriage_returns(gap.before) : std::string(gap.before);
  const std::string after = drops ? without_carriage_returns(gap.after) : std::string(gap.after);
  const auto begin = end_of_before(text, before);
  const auto end = start_of_after(text, after);
  if (!begin || !end || *end <= *begin) return std::nullopt;
  const std::uint64_t most = format == HistoryFormat::kJsonFile ? gap.length * kReplacedGrows : gap.length;
  if (*end - *begin > most) return std::nullopt;
  return Refill{std::string(text.substr(*begin, *end - *begin)), true};
}

}  // namespace flowtap::flow
