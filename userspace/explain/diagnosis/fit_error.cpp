#include "explain/diagnosis/fit_error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "base/ascii.hpp"
#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
// The last one is Volcano's.
constexpr std::array<std::string_view, 3> kAvailable = {
    "nodes are available:", "node is available:", "nodes are unavailable:"};
constexpr std::string_view kNoneOf = "0/";
constexpr std::string_view kAllUnavailable = "all nodes are unavailable";
constexpr std::string_view kList = ": ";  // of reasons; it follows
constexpr std::string_view kEnd = ". ";
// The plugin of claims says this of each pod, also of those that have none.
constexpr std::string_view kNoClaims = "no new claims to deallocate, ";
constexpr std::string_view kReservations = "Reservation(s) ";
constexpr std::string_view kAllReservations = "Reservation(s) matched owner total";
// In a pattern of the table.
constexpr std::string_view kOwnNumber = ", <count> ";
// Each part is looked up in the whole table, and a longer one again for each number that it gets. No scheduler has as many reasons,
// and no reason as many numbers; a sentence with more parts is told part by part.
constexpr std::size_t kMostParts = 256;
constexpr std::size_t kMostOwnNumbers = 8;

// Takes digits and the space behind them away; nothing if the text does not begin so.
std::optional<std::size_t> take_count(std::string_view& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || digits + 1 >= text.size() || text[digits] != ' ') return std::nullopt;
  text.remove_prefix(digits + 1);
  return count;
}

// "nodes are av", if it is cut off there.
bool is_begun(std::string_view words) {
  if (!words.ends_with(kCutOff)) return false;
  words.remove_suffix(kCutOff.size());
  return std::ranges::any_of(kAvailable, [words](std::string_view all) { return all.starts_with(words); });
}

// Takes "0/6 nodes are available:" away, and returns how many there are; 0: that is not said. Nothing: another sentence begins.
std::optional<std::size_t> take_all_nodes(std::string_view& sentence) {
  if (sentence.starts_with(kAllUnavailable)) {
    sentence.remove_prefix(kAllUnavailable.size());
    if (!sentence.starts_with(kList)) return std::nullopt;
    sentence.remove_prefix(kList.size());
    return 0;
  }
  if (!sentence.starts_with(kNoneOf)) return std::nullopt;
  sentence.remove_prefix(kNoneOf.size());
  const auto all = take_count(sentence);
  const auto begins = [&sentence](std::string_view words) { return sentence.starts_with(words); };
  const auto* const available = std::ranges::find_if(kAvailable, begins);
  if (!all || (available == kAvailable.end() && !is_begun(sentence))) return std::nullopt;
  sentence.remove_prefix(available != kAvailable.end() ? available->size()
                                                       : sentence.size() - kCutOff.size());
  if (sentence.starts_with(' ')) sentence.remove_prefix(1);
  return all;
}

// Koordinator counts Reservations beside nodes, and all of them that are the owner's at the end.
bool is_of_reservations(std::string_view reason) {
  return reason.starts_with(kReservations);
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
  for (std::size_t at = text.find(kEnd); at != kNone; at = text.find(kEnd, at + 1)) {
    std::string_view behind = text.substr(at + kEnd.size());
    if (take_count(behind) && is_of_reservations(behind)) return at;
  }
  std::size_t last = 0;
  for (std::size_t at = next_count(text); at != kNone; at = next_count(text, at + 1)) last = at;
  if (const std::size_t end = text.find(kEnd, last); end != kNone) return end;
  return text.ends_with('.') ? text.size() - 1 : text.size();
}

/// The sentence without a look at its reasons.
struct Outline {
  std::size_t nodes = 0;  ///< as in FitError
  std::string_view list;  ///< of the reasons
  std::string_view preemption;
  bool cut = false;   ///< it was cut
  bool ends = false;  ///< nothing stands behind the list
};

std::optional<Outline> outline_of(std::string_view sentence) {
  const auto all = take_all_nodes(sentence);
  if (!all) return std::nullopt;
  const std::string_view with_mark = sentence;
  const bool cut = sentence.ends_with(kCutOff);
  if (cut) sentence.remove_suffix(kCutOff.size());
  const std::size_t end = end_of_reasons(sentence);
  const std::size_t behind = sentence.starts_with(kPreemption) ? 0 : end + kEnd.size();
  Outline out{.nodes = *all,
              .list = sentence.substr(0, end),
              .preemption = {},
              .cut = cut,
              .ends = end == sentence.size()};
  if (behind < sentence.size()) out.preemption = with_mark.substr(behind);
  if (out.preemption.starts_with(kNoClaims)) out.preemption.remove_prefix(kNoClaims.size());
  return out;
}

/// A part of the list, and what it says: "2 Insufficient cpu".
struct Part {
  std::string_view text;
  std::size_t nodes = 0;
  std::string_view reason;
  bool counted = false;
};

std::vector<Part> parts_of(std::string_view list, std::size_t all) {
  std::vector<Part> out;
  while (!list.empty()) {
    const std::size_t next = std::min(next_count(list), list.size());
    Part part{.text = list.substr(0, next), .nodes = all, .reason = list.substr(0, next)};
    // A reason without a count says why none of the nodes was looked at.
    if (const auto nodes = take_count(part.reason)) {
      part.nodes = *nodes;
      part.counted = true;
    }
    out.push_back(part);
    list.remove_prefix(std::min(next + kBetweenReasons.size(), list.size()));
  }
  return out;
}

bool is_known(std::string_view reason) {
  if (is_of_reservations(reason) || advice_row(reason) != nullptr) return true;
  bool known = true;
  each_reason(reason, [&known](std::string_view part) { known = known && advice_row(part) != nullptr; });
  return known;
}

// Whether there may be more of a reason that is cut off: the table does not know it, or its row takes anything at the end.
bool may_go_on(std::string_view reason) {
  const auto advice = advice_for(reason);
  return advice ? advice->pattern.ends_with('>') : !is_known(reason);
}

// Whether the reason may be the beginning of another one: "Insufficient nvidia.com/gpu" of "Insufficient nvidia.com/gpumem". Of
// reservations' reasons the beginning is known, but no end.
bool begins_another(std::string_view reason) {
  return is_of_reservations(reason) || std::ranges::any_of(advice_rows(), [reason](const AdviceRow& row) {
           return row.pattern.size() > reason.size() && row.pattern.starts_with(reason);
         });
}

// Whether a row of the table says that the reason has a number behind a comma, and the reason has it. A row that takes anything
// at its end says nothing of it.
bool has_own_number(std::string_view reason) {
  const AdviceRow* const row = advice_row(reason);
  return row != nullptr && row->pattern.contains(kOwnNumber);
}

// A reason may have numbers of its own: "minCount (4) cannot be satisfied: 2 scheduled, 1 remaining". The table knows some of
// them. Others show where a part is not sorted, for kube-scheduler sorts them as texts: a part that the table does not know belongs
// to one before it that the table does not know either. So does one with a number that is larger than that of all nodes (`all`; 0:
// nobody says it), whatever is before it. Nothing else is put together, since a node may have several reasons.
std::vector<Part> joined(std::vector<Part> parts, std::size_t all) {
  if (parts.size() > kMostParts) return parts;
  std::vector<Part> out;
  std::size_t numbers = 0;  // that the last one has got
  for (const Part& part : parts) {
    if (!out.empty() && numbers < kMostOwnNumbers && !is_known(part.reason)) {
      Part& last = out.back();
      const auto reach = [&part](std::string_view from) {
        return std::string_view(from.begin(), part.text.end());
      };
      const bool sorted = last.text <= part.text;
      const bool is_count = all == 0 || part.nodes <= all;
      if (!is_count || (has_own_number(reach(last.reason)) && !has_own_number(last.reason)) ||
          (!sorted && !is_known(last.reason))) {
        last.text = reach(last.text);
        last.reason = reach(last.reason);
        ++numbers;
        continue;
      }
    }
    out.push_back(part);
    numbers = 0;
  }
  return out;
}

// Whether a part that was cut says something. A number at its end does not count: it belongs to the next part.
bool is_said(Part& part) {
  const std::size_t last = part.reason.find_last_not_of("0123456789");
  std::string_view reason = part.reason.substr(0, last + 1);  // npos + 1 is 0
  while (reason.ends_with(' ')) reason.remove_suffix(1);
  if (reason.ends_with(',') || reason.empty())
    part.reason = reason.substr(0, reason.find_last_not_of(',') + 1);
  return !part.reason.empty();
}

// "0/6 nodes are av". A number alone may be anything.
bool begins_sentence(std::string_view text) {
  if (!text.starts_with(kNoneOf)) return false;
  text.remove_prefix(kNoneOf.size());
  text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  if (text.empty()) return true;
  return text.starts_with(' ') && std::ranges::any_of(kAvailable, [text](std::string_view all) {
           return all.starts_with(text.substr(1));
         });
}

}  // namespace

std::string_view room_error_in(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNoErrors = {"0/", "not eligible ", "waiting for "};
  if (const auto outline = outline_of(text)) text = outline->preemption;
  // A taint's key may end in the same word.
  const auto begins_at = [text](std::size_t at) {
    const std::string_view before = text.substr(0, at);
    return at == 0 || before.ends_with(". ") || before.ends_with(": ");
  };
  std::size_t at = text.rfind(kPreemption);
  while (at != kNone && !begins_at(at)) at = at == 0 ? kNone : text.rfind(kPreemption, at - 1);
  if (at == kNone) return {};
  text.remove_prefix(at + kPreemption.size());
  // A text that is cut may have too little left of these words.
  const bool cut = text.ends_with(kCutOff);
  const std::string_view left = cut ? text.substr(0, text.size() - kCutOff.size()) : text;
  const auto may_be = [&](std::string_view begins) {
    return left.starts_with(begins) || (cut && begins.starts_with(left));
  };
  if (std::ranges::any_of(kNoErrors, may_be)) return {};
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

bool is_volcanos(std::string_view sentence) {
  return sentence.contains(" nodes are unavailable: ") || sentence == kAllUnavailable ||
         sentence.contains(" tasks in gang unschedulable: ") ||
         sentence.starts_with("pod group is not ready") ||
         (sentence.starts_with("Pod ") && sentence.contains(" can possibly be assigned to "));
}

// What ends with another sign may stand in quotes or tags. What another plugin has tried may be said without a full stop.
Ending ending_of(std::string_view sentence) {
  constexpr std::string_view kCounted = "preemption: 0/";
  const auto is_amid = [](std::string_view text) {
    return is_alphanumeric(text.back()) || std::string_view(",:-_/({=}").contains(text.back());
  };
  if (sentence.empty() || !is_amid(sentence)) return Ending::kWhole;
  auto outline = outline_of(sentence);
  if (!outline) return begins_sentence(sentence) ? Ending::kAmid : Ending::kWhole;
  if (const std::string_view room = outline->preemption; !room.empty()) {
    if (kCounted.starts_with(room)) return Ending::kAmid;
    if (!room.starts_with(kCounted)) return Ending::kWhole;
    outline = outline_of(room.substr(kPreemption.size()));
    if (!outline || !outline->preemption.empty()) return Ending::kAmid;
  }
  const std::vector<Part> parts = joined(parts_of(outline->list, outline->nodes), outline->nodes);
  std::size_t counted = 0;
  for (const Part& part : parts) counted += part.counted ? std::min(part.nodes, outline->nodes) : 0;
  const bool ends_word = is_alphanumeric(sentence.back()) || sentence.ends_with('}');
  if (parts.empty() || counted < outline->nodes || !ends_word) return Ending::kAmid;
  Part last = parts.back();
  const bool is_whole = is_said(last) && last.reason.size() == parts.back().reason.size();
  if (!is_whole || !is_known(last.reason)) return Ending::kAmid;
  return may_go_on(last.reason) || begins_another(last.reason) ? Ending::kCounted : Ending::kBare;
}

std::optional<FitError> parse_fit_error(std::string_view sentence) {
  const auto said = outline_of(sentence);
  if (!said) return std::nullopt;
  FitError out{.nodes = said->nodes, .reasons = {}, .preemption = said->preemption};
  std::vector<Part> parts = joined(parts_of(said->list, said->nodes), said->nodes);
  bool cut_here = said->cut && said->ends && !parts.empty();
  if (cut_here) {
    const std::size_t before = parts.back().reason.size();
    const bool is_whole = is_said(parts.back());
    cut_here = parts.back().reason.size() == before;  // else the next one is
    if (!is_whole) parts.pop_back();
  }
  for (const Part& part : parts) {
    if (part.reason.starts_with(kAllReservations)) continue;
    const std::size_t counted = said->nodes == 0 ? part.nodes : std::min(part.nodes, said->nodes);
    const std::size_t nodes = is_of_reservations(part.reason) ? 0 : counted;
    out.reasons.push_back({sorted_reason(part.reason), nodes});
    out.counts_all = out.counts_all && part.counted;
    if (cut_here && &part == &parts.back() && may_go_on(part.reason)) out.reasons.back().reason += kCutOff;
  }
  // Each node has a reason. A single node is none that a scheduler had chosen, so it is not said to be the only one.
  if (said->nodes == 0 && out.reasons.size() == 1 && !said->cut && out.reasons.front().nodes > 1)
    out.nodes = out.reasons.front().nodes;
  return out;
}

}  // namespace flowtap::diagnosis
