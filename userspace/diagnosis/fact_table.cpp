#include "diagnosis/fact_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace flowtap::diagnosis {
namespace {

using Form = FactRow::Form;

constexpr FactRow kRows[] = {
#define SAYS(what, text, ...) {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}},
#define SAYS_WITH(what, text, present, ...) \
  {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}, .with = present},
#define REASON(what, text, reason, ...) \
  {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}, .says = reason},
#define VERDICT(what, text, heavy, summary) \
  {.kind = FactKind::what, .message = text, .says = summary, .weight = heavy},
#define ERROR(text, ...)                            \
  {.kind = FactKind::kBindFailed,                   \
   .message = text,                                 \
   .keys = {{{"err", Field::kError}, __VA_ARGS__}}, \
   .says = text,                                    \
   .weight = 1},
#define EVENT(what, heavy, reason, text) \
  {.kind = FactKind::what,               \
   .message = "Event occurred",          \
   .with = "reason",                     \
   .value = reason,                      \
   .apart = "message",                   \
   .pattern = text,                      \
   .weight = heavy,                      \
   .ends = true},
#define TEXT(what, beginning, all) \
  {.form = Form::kText, .kind = FactKind::what, .message = beginning, .pattern = all},
#include "diagnosis/hami.def"
#undef SAYS
#undef SAYS_WITH
#undef REASON
#undef VERDICT
#undef ERROR
#undef EVENT
#undef TEXT
};

constexpr std::pair<std::string_view, Field> kNames[] = {
    {"node", Field::kNode},           {"nodes", Field::kNodes}, {"reason", Field::kReason},
    {"container", Field::kContainer}, {"cards", Field::kCards}, {"summary", Field::kSummary},
};

}  // namespace

std::span<const FactRow> fact_rows() {
  static const std::vector<FactRow> kSorted = [] {
    std::vector<FactRow> rows(std::begin(kRows), std::end(kRows));
    std::ranges::stable_sort(rows, {}, [](const FactRow& row) { return std::pair(row.form, row.message); });
    return rows;
  }();
  return kSorted;
}

const Field* field_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &std::pair<std::string_view, Field>::first);
  return found == std::end(kNames) ? nullptr : &found->second;
}

}  // namespace flowtap::diagnosis
