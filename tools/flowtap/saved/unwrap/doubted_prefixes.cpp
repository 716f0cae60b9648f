#include "doubted_prefixes.hpp"

#include <algorithm>
#include <cstddef>

#include "around/prefix.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kMostPrefixes = 16;
constexpr std::size_t kLongestPrefix = 300;  // bytes
// Fewer may all be quotations.
constexpr std::uint64_t kLeastRecords = 3;

}  // namespace

void DoubtedPrefixes::note(std::string_view line, const std::optional<Enclosed>& found) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  ++lines_;
  const bool doubted = found && found->behind == PrefixKind::kDoubted && found->at <= kLongestPrefix;
  const std::string source = doubted ? source_of(line.substr(0, found->at)) : std::string();
  // A record's further lines have the same before them.
  for (Prefix& prefix : prefixes_)
    if (doubted ? prefix.source == source : end_of_prefix(prefix.text, line).has_value()) {
      ++prefix.lines;
      prefix.records += doubted ? 1 : 0;
      return;
    }
  if (doubted && prefixes_.size() < kMostPrefixes)
    prefixes_.push_back(
        {.source = source, .text = std::string(line.substr(0, found->at)), .records = 1, .lines = 1});
}

bool DoubtedPrefixes::is_trusted(std::string_view prefix) const {
  const auto found = std::ranges::find(prefixes_, source_of(prefix), &Prefix::source);
  return found != prefixes_.end() && found->records >= kLeastRecords && 2 * found->lines > lines_;
}

}  // namespace flowtap::cli
