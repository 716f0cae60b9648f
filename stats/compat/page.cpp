#include "stats/compat/page.hpp"

#include <utility>

#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace flowtap::stats::compat {
namespace {

std::string valid_name(std::string_view name) {
  std::string valid(name);
  for (char& c : valid)
    if (!is_alphanumeric(c) && c != '_' && c != ':') c = '_';
  if (valid.empty() || is_digit(valid.front())) valid.insert(0, 1, '_');
  return valid;
}

}  // namespace

bool Page::add(std::string_view name, PageKind kind, std::string_view help, LabelPairs labels, double value) {
  if (samples_ == most_) {
    full_ = true;
    return false;
  }
  auto at = families_.find(name);
  if (at == families_.end()) {
    if (families_.size() == kMostFamilies) {
      full_ = true;
      return false;
    }
    at = families_.try_emplace(valid_name(name), PageFamily{kind, printable(help), {}}).first;
  }
  for (auto& [key, text] : labels) text = printable(text);
  const bool fresh = at->second.samples.try_emplace(std::move(labels), value).second;
  samples_ += fresh ? 1 : 0;
  return fresh;
}

void Page::merge(Page other) {
  for (auto& [name, family] : other.families_)
    for (const auto& [labels, value] : family.samples) add(name, family.kind, family.help, labels, value);
}

}  // namespace flowtap::stats::compat
