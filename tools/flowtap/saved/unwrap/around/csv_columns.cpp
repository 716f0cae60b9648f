#include "csv_columns.hpp"

#include <algorithm>

namespace flowtap::cli {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kLongestHeading = 4096;  // bytes

/// The fields that end in the line, without their quotes.
std::vector<std::string_view> csv_fields(std::string_view line) {
  std::vector<std::string_view> out;
  while (out.size() < kMostColumns) {
    const bool quoted = line.starts_with('"');
    std::size_t end = quoted ? line.find('"', 1) : line.find(',');
    while (quoted && end != std::string_view::npos && line.substr(end + 1).starts_with('"'))
      end = line.find('"', end + 2);
    if (quoted && end == std::string_view::npos) break;
    end = std::min(end, line.size());
    out.push_back(quoted ? line.substr(1, end - 1) : line.substr(0, end));
    line.remove_prefix(std::min(quoted ? end + 1 : end, line.size()));
    if (!line.starts_with(',')) break;
    line.remove_prefix(1);
  }
  return out;
}

bool names_log(std::string_view column) {
  constexpr std::string_view kAnyValue = "/x";
  SourceName name;
  name.add({}, column, kAnyValue);
  return !name.empty();
}

}  // namespace

void CsvColumns::note(std::string_view line) {
  if (line.size() > kLongestHeading || !line.contains(',')) return;
  const std::vector<std::string_view> fields = csv_fields(line);
  if (fields.size() > 1 && std::ranges::any_of(fields, names_log))
    names_.assign(fields.begin(), fields.end());
}

SourceName CsvColumns::of_row(std::string_view line) const {
  SourceName out;
  if (names_.empty()) return out;
  const std::vector<std::string_view> fields = csv_fields(line);
  for (std::size_t i = 0; i < std::min(fields.size(), names_.size()); ++i) out.add({}, names_[i], fields[i]);
  return out;
}

}  // namespace flowtap::cli
