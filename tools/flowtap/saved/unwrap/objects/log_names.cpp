#include "log_names.hpp"

#include <algorithm>
#include <ranges>

namespace flowtap::cli {
namespace {

// A part that one of them does not say is no difference.
bool may_be_same(std::string_view one, std::string_view other) {
  const auto parts = [](std::string_view name) { return std::views::split(name, '\n'); };
  return std::ranges::equal(parts(one), parts(other), [](auto&& a, auto&& b) {
    return a.empty() || b.empty() || std::ranges::equal(a, b);
  });
}

}  // namespace

void LogNames::note(std::string_view name) {
  if (name.empty() || called_.contains(name) || called_.size() == kMost) return;
  const auto same =
      std::ranges::find_if(names_, [name](const std::string& known) { return may_be_same(known, name); });
  called_.emplace(name, static_cast<std::size_t>(same - names_.begin()));
  if (same == names_.end()) names_.emplace_back(name);
}

std::string_view LogNames::known(std::string_view name) {
  if (names_.size() < 2) return {};
  note(name);
  const auto found = called_.find(name);
  return found == called_.end() ? std::string_view() : std::string_view(names_[found->second]);
}

}  // namespace flowtap::cli
