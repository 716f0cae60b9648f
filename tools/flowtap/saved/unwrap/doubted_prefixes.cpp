#include "doubted_prefixes.hpp"

#include <algorithm>
#include <cstddef>

#include "around/prefix.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kMostPrefixes = 16;
constexpr std::size_t kLongestPrefix = 300;  // bytes
// Fewer may all be quotations.
constexpr std::uint64_t kLeastRecords = 3;

// A string may be a whole log.
std::uint64_t records_in(std::string_view line, const Enclosed& found) {
  constexpr std::string_view kNewline = R"(\n)";
  std::uint64_t records = 1;
  if (found.quoting != Quoting::kEscaped) return records;
  for (std::size_t at = line.find(kNewline, found.at); at != std::string_view::npos;
       at = line.find(kNewline, at)) {
    at += kNewline.size();
    records += flow::begins_klog_record(line.substr(at)) ? 1 : 0;
  }
  return records;
}

}  // namespace

void DoubtedPrefixes::note(std::string_view line, const std::optional<Enclosed>& found) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  ++lines_;
  const bool doubted = found && found->behind == PrefixKind::kDoubted && found->at <= kLongestPrefix;
  const std::string source = doubted ? source_of(line.substr(0, found->at)) : std::string();
  const std::uint64_t records = doubted ? records_in(line, *found) : 0;
  // A record's further lines have the same before them.
  for (Prefix& prefix : prefixes_)
    if (doubted ? prefix.source == source : end_of_prefix(prefix.text, line).has_value()) {
      ++prefix.lines;
      prefix.records += records;
      return;
    }
  if (doubted && prefixes_.size() < kMostPrefixes)
    prefixes_.push_back(
        {.source = source, .text = std::string(line.substr(0, found->at)), .records = records, .lines = 1});
}

bool DoubtedPrefixes::is_trusted(std::string_view prefix) const {
  const auto found = std::ranges::find(prefixes_, source_of(prefix), &Prefix::source);
  if (found == prefixes_.end() || found->records < kLeastRecords) return false;
  std::uint64_t lines = 0;
  for (const Prefix& one : prefixes_) lines += one.records >= kLeastRecords ? one.lines : 0;
  return 2 * lines > lines_;
}

}  // namespace flowtap::cli
