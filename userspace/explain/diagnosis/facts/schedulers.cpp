#include "explain/diagnosis/facts/schedulers.hpp"

#include <algorithm>
#include <utility>

namespace flowtap::diagnosis {
namespace {

std::pair<FactRow::Form, std::string_view> place(const FactRow& row) {
  return {row.form, row.message};
}

// The first one.
unsigned char letter(std::string_view text) {
  return text.empty() ? 0 : static_cast<unsigned char>(text.front());
}

}  // namespace

Schedulers::Schedulers(std::span<const Scheduler> all) : all_(all) {
  for (const Scheduler& one : all)
    for (FactRow row : one.rows) {
      row.scheduler = &one;
      rows_.push_back(row);
    }
  std::ranges::stable_sort(rows_, {}, place);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool is_text = rows_[i].form == FactRow::Form::kText;
    Range& of_it = is_text ? by_letter_[letter(rows_[i].message)] : by_message_[rows_[i].message];
    if (of_it.count++ == 0) of_it.first = i;
  }
}

std::span<const FactRow> Schedulers::rows_of(FactRow::Form form, std::string_view text) const {
  if (form == FactRow::Form::kText) return rows_of(by_letter_[letter(text)]);
  const auto found = by_message_.find(text);
  return found != by_message_.end() ? rows_of(found->second) : std::span<const FactRow>();
}

}  // namespace flowtap::diagnosis
