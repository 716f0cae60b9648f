#include "explain/diagnosis/fit_error.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kAvailable = "nodes are available:";
constexpr std::string_view kEnd = ". ";
// The plugin of claims says this of each pod, also of those that have none.
constexpr std::string_view kNoClaims = "no new claims to deallocate, ";

// Takes digits and the space behind them away; nothing if the text does not begin so.
std::optional<std::size_t> take_count(std::string_view& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || digits + 1 >= text.size() || text[digits] != ' ') return std::nullopt;
  text.remove_prefix(digits + 1);
  return count;
}

// Where the next count stands: "2/8 CardTypeMismatch, 1/8 NumaNotFit" has none.
std::size_t next_count(std::string_view text, std::size_t from = 0) {
  for (std::size_t at = text.find(kBetweenReasons, from); at != kNone;
       at = text.find(kBetweenReasons, at + 1)) {
    std::string_view rest = text.substr(at + kBetweenReasons.size());
    if (take_count(rest)) return at;
  }
  return kNone;
}

// The reasons end with a full stop. The text behind it begins with a plugin's words and has kube-scheduler's preemption in it,
// unless another plugin takes its place. A reason with a full stop of its own has reasons behind it.
std::size_t end_of_reasons(std::string_view text) {
  const std::size_t tried = text.find(kPreemption);
  if (tried == 0) return 0;
  if (tried != kNone)
    if (const std::size_t end = text.rfind(kEnd, tried - 1); end != kNone) return end;
  std::size_t last = 0;
  for (std::size_t at = next_count(text); at != kNone; at = next_count(text, at + 1)) last = at;
  if (const std::size_t end = text.find(kEnd, last); end != kNone) return end;
  return text.ends_with('.') ? text.size() - 1 : text.size();
}

}  // namespace

std::optional<FitError> parse_fit_error(std::string_view sentence) {
  if (!sentence.starts_with("0/")) return std::nullopt;
  sentence.remove_prefix(2);
  const auto all = take_count(sentence);
  if (!all || !sentence.starts_with(kAvailable)) return std::nullopt;
  sentence.remove_prefix(kAvailable.size());
  if (sentence.starts_with(' ')) sentence.remove_prefix(1);

  FitError out;
  const std::size_t end = end_of_reasons(sentence);
  std::string_view reasons = sentence.substr(0, end);
  const std::size_t behind = sentence.starts_with(kPreemption) ? 0 : end + kEnd.size();
  std::string_view preemption = sentence.substr(std::min(sentence.size(), behind));
  if (preemption.starts_with(kNoClaims)) preemption.remove_prefix(kNoClaims.size());
  out.preemption = preemption;
  while (!reasons.empty()) {
    // A reason without a count says why none of the nodes was looked at.
    const std::size_t nodes = take_count(reasons).value_or(*all);
    const std::size_t next = next_count(reasons);
    out.reasons.push_back({sorted_reason(reasons.substr(0, next)), nodes});
    reasons.remove_prefix(next == kNone ? reasons.size() : next + kBetweenReasons.size());
  }
  return out;
}

}  // namespace flowtap::diagnosis
