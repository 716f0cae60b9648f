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
  for (std::size_t i = 0; i < rows_.size() && rows_[i].form == FactRow::Form::kMessage; ++i)
    ++by_message_.try_emplace(rows_[i].message, Range{.first = i, .count = 0}).first->second.count;
}

std::span<const FactRow> Schedulers::rows_of(FactRow::Form form, std::string_view text) const {
  if (form == FactRow::Form::kMessage) {
    const auto found = by_message_.find(text);
    if (found == by_message_.end()) return {};
    return rows().subspan(found->second.first, found->second.count);
  }
  const auto letter = [](const FactRow& row) { return std::pair(row.form, row.message.substr(0, 1)); };
  const auto found = std::ranges::equal_range(rows_, std::pair(form, text.substr(0, 1)), {}, letter);
  return {found.begin(), found.end()};
}

}  // namespace flowtap::diagnosis
