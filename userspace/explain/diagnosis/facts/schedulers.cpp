#include "explain/diagnosis/facts/schedulers.hpp"

#include <algorithm>
#include <utility>

namespace flowtap::diagnosis {
namespace {

std::pair<FactRow::Form, std::string_view> place(const FactRow& row) {
  return {row.form, row.message};
}

}  // namespace

Schedulers::Schedulers(std::span<const Scheduler> all) : all_(all) {
  for (const Scheduler& one : all)
    for (FactRow row : one.rows) {
      row.scheduler = &one;
      rows_.push_back(row);
    }
  std::ranges::stable_sort(rows_, {}, place);
}

std::span<const FactRow> Schedulers::rows_of(FactRow::Form form, std::string_view text) const {
  if (form == FactRow::Form::kMessage) {
    const auto found = std::ranges::equal_range(rows_, std::pair(form, text), {}, place);
    return {found.begin(), found.end()};
  }
  return {std::ranges::lower_bound(rows_, std::pair(form, std::string_view{}), {}, place), rows_.end()};
}

}  // namespace flowtap::diagnosis
