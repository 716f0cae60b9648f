// The rows of advice.def, and which of them a reason has.
#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"
#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/facts/pattern_index.hpp"
#include "explain/diagnosis/facts/text_pattern.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/reasons.hpp"

namespace flowtap::diagnosis {
namespace {

#define ROW(reason, one, many, means, todo, mends) AdviceRow{reason, {one, many}, means, todo, Mends::mends},
#define ADVICE(reason, one, many, means, todo) ROW(reason, one, many, means, todo, kOther)
#define ROOM(reason, one, many, means, todo) ROW(reason, one, many, means, todo, kRoom)
#define FIT(reason, one, many, means, todo) ROW(reason, one, many, means, todo, kFit)
#define MEANT(reason, one, many, means, todo) ROW(reason, one, many, means, todo, kNone)
#define MADE(reason, one, many, means, todo) ROW(reason, one, many, means, todo, kTime)
#define ALSO(reason) ROW(reason, "", "", "", "", kOther)
// From 1.36 on a verdict has no taint's name, and the line about the node has the taint as an object.
#define TAINT(key, one, many, means, todo)                                    \
  ADVICE("node(s) had untolerated taint {" key ":<>", one, many, means, todo) \
  ALSO("node(s) had taint {" key ":<>")                                       \
  ALSO("node had untolerated taints, <>" key "<>")
#define TAINT_ALSO(key)                             \
  ALSO("node(s) had untolerated taint {" key ":<>") \
  ALSO("node(s) had taint {" key ":<>")             \
  ALSO("node had untolerated taints, <>" key "<>")
constexpr auto kRows = [] {
  auto rows = std::to_array({
#include "explain/diagnosis/advice.def"
  });
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].means.empty())
      rows[i] = {rows[i].pattern, rows[i - 1].lacks, rows[i - 1].means, rows[i - 1].todo, rows[i - 1].mends};
  return rows;
}();
#undef ROW
#undef ADVICE
#undef ROOM
#undef FIT
#undef MEANT
#undef MADE
#undef ALSO
#undef TAINT
#undef TAINT_ALSO

// One part of a resource's name: "nvidia.com" and "mig-1g.5gb".
bool is_name(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; });
}

bool fits(std::string_view pattern, std::string_view reason) {
  bool named = true;
  const auto take = [&named](std::string_view place, std::string_view taken) {
    named = named && (place != "name" || is_name(taken));
  };
  return matches(pattern, reason, take) && named;
}

// A sentence that is only reasons may end with one full stop, or also with that of the sentence around it. One that is cut off is
// taken for the reason that it may be the whole of.
std::string_view bare(std::string_view reason) {
  reason = without_counts(reason);
  if (reason.ends_with(kCutOff)) reason.remove_suffix(kCutOff.size());
  while (reason.ends_with('.')) reason.remove_suffix(1);
  return reason;
}

// What runs a plugin stands around the plugin's own words, and says the least.
bool is_around(const AdviceRow& row) {
  constexpr std::array<std::string_view, 2> kAround = {"running ", "binding volumes<>"};
  return std::ranges::any_of(kAround,
                             [&row](std::string_view begins) { return row.pattern.starts_with(begins); });
}

// The rows of the plugins' own words, and those of what stands around them.
struct Indexes {
  PatternIndex own;
  PatternIndex around;

  Indexes() {
    for (std::size_t i = 0; i < kRows.size(); ++i)
      (is_around(kRows[i]) ? around : own).add(kRows[i].pattern, i);
  }
};
const Indexes& indexes() {
  static const Indexes kIndexes;
  return kIndexes;
}

// No error has as many causes in each other.
constexpr std::size_t kMostCauses = 8;

const AdviceRow* row_for(std::string_view reason, const PatternIndex& index) {
  const std::size_t row = index.first(reason, [&](std::size_t i) { return fits(kRows[i].pattern, reason); });
  return row != PatternIndex::kNone ? &kRows[row] : nullptr;
}

// The row of the cause: "running PreFilter plugin "Coscheduling": CAUSE". Errors in Go stand before their causes.
const AdviceRow* row_for_cause(std::string_view error) {
  constexpr std::string_view kBefore = ": ";
  std::size_t at = error.find(kBefore, error.find(" plugin"));
  for (std::size_t causes = 0; at != std::string_view::npos && causes < kMostCauses; ++causes) {
    error.remove_prefix(at + kBefore.size());
    if (const AdviceRow* row = row_for(error, indexes().own)) return row;
    at = error.find(kBefore);
  }
  return nullptr;
}

}  // namespace

std::span<const AdviceRow> advice_rows() {
  return kRows;
}

const AdviceRow* advice_row(std::string_view reason) {
  reason = bare(reason);
  if (const AdviceRow* row = row_for(reason, indexes().own)) return row;
  const AdviceRow* const around = row_for(reason, indexes().around);
  if (around == nullptr) return nullptr;
  const AdviceRow* const cause = row_for_cause(reason);
  return cause != nullptr ? cause : around;
}

std::optional<Advice> advice_for(std::string_view reason) {
  const AdviceRow* const row = advice_row(reason);
  if (row == nullptr) return std::nullopt;
  return Advice{.pattern = row->pattern,
                .reason = std::string(bare(reason)),
                .lacks = row->lacks,
                .means = row->means,
                .todo = row->todo,
                .mends = row->mends};
}

}  // namespace flowtap::diagnosis
