#include "explain/diagnosis/advice.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <utility>

#include "explain/diagnosis/facts/text_pattern.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

#define ADVICE(reason, one, many, means, todo) AdviceRow{reason, {one, many}, means, todo},
#define ALSO(reason) AdviceRow{reason, {}, {}, {}},
constexpr auto kRows = [] {
  auto rows = std::to_array({
#include "explain/diagnosis/advice.def"
  });
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].means.empty())
      rows[i] = {rows[i].pattern, rows[i - 1].lacks, rows[i - 1].means, rows[i - 1].todo};
  return rows;
}();
#undef ADVICE
#undef ALSO

// A sentence that is only reasons may end with one full stop, or also with that of the sentence around it.
std::string_view bare(std::string_view reason) {
  reason = without_counts(reason);
  while (reason.ends_with('.')) reason.remove_suffix(1);
  return reason;
}

using List = std::vector<Advice>;

// The advice in the list that says the same. If there is none, it is put there, with no node yet.
Advice& same_in(List& list, const Advice& advice) {
  const auto found = std::ranges::find(list, advice.means, &Advice::means);
  if (found != list.end()) return *found;
  list.push_back(advice);
  list.back().nodes = 0;
  return list.back();
}

// Adds the advice for texts about the same nodes. A text is one reason, or a list of them.
void add(List& to, std::initializer_list<std::string_view> texts, std::size_t nodes) {
  List once;
  const auto know = [&](std::string_view reason) {
    const auto advice = advice_for(reason);
    if (advice) same_in(once, *advice);
    return advice.has_value();
  };
  for (const std::string_view text : texts)
    if (!know(text)) each_reason(text, know);
  for (const Advice& advice : once) same_in(to, advice).nodes += nodes;
}

List most_first(List list) {
  std::ranges::stable_sort(list, std::ranges::greater{}, &Advice::nodes);
  return list;
}

// Several schedulers may tell of the same nodes: one says which node it is, another only how many there are.
List of_nodes(const Diagnosis& diagnosis) {
  List named;
  for (const NodeVerdict& node : diagnosis.nodes) {
    if (node.verdict != Verdict::kFailed) continue;
    // The scheduler leaves a node at the first container that fails.
    std::string_view last;
    if (!node.containers.empty()) last = node.containers.back().reason;
    add(named, {node.reason, last}, 1);
  }
  List counted;
  for (const NodesReason& reason : diagnosis.reasons) add(counted, {reason.reason}, reason.nodes);
  for (const Advice& advice : counted) {
    Advice& same = same_in(named, advice);
    same.nodes = std::max(same.nodes, advice.nodes);
  }
  return most_first(std::move(named));
}

// Adds the advice for a sentence that counts nodes, or is one reason or a list of them.
void add_sentence(List& to, std::string_view text) {
  if (const auto error = parse_fit_error(text)) {
    for (const NodesReason& reason : error->reasons) add(to, {reason.reason}, reason.nodes);
  } else {
    add(to, {text}, 0);
  }
}

// "no new claims to deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling."
List of_preemption(std::string_view text) {
  List out;
  const std::size_t tried = std::min(text.find(kPreemption), text.size());
  add(out, {text.substr(0, tried)}, 0);
  text.remove_prefix(std::min(tried + kPreemption.size(), text.size()));
  add_sentence(out, text);
  return most_first(std::move(out));
}

}  // namespace

std::span<const AdviceRow> advice_rows() {
  return kRows;
}

std::optional<Advice> advice_for(std::string_view reason) {
  reason = bare(reason);
  const auto ignore = [](std::string_view, std::string_view) {};
  const auto* const row =
      std::ranges::find_if(kRows, [&](const AdviceRow& r) { return matches(r.pattern, reason, ignore); });
  if (row == kRows.end()) return std::nullopt;
  return Advice{row->pattern, std::string(reason), row->lacks, row->means, row->todo};
}

std::vector<Advice> advice_for(const Diagnosis& diagnosis) {
  List out;
  const auto append = [&](const List& list) {
    for (const Advice& advice : list)
      if (std::ranges::find(out, advice.means, &Advice::means) == out.end()) out.push_back(advice);
  };
  if (diagnosis.bind.verdict == Verdict::kFailed) add_sentence(out, diagnosis.bind.summary);
  append(of_nodes(diagnosis));
  if (out.empty() && diagnosis.filter.verdict == Verdict::kFailed) add(out, {diagnosis.filter.summary}, 0);
  append(of_preemption(diagnosis.preemption));
  return out;
}

}  // namespace flowtap::diagnosis
