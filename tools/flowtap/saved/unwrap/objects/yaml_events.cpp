#include "yaml_events.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "merged_record.hpp"
#include "tools/flowtap/saved/kube_margin.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"
#include "yaml_object.hpp"

namespace flowtap::cli {
namespace {

// The API server holds no larger object.
constexpr std::size_t kLargestObject = std::size_t{2} << 20U;
// kubectl, gcloud and aws sort by keys, and an event or a log's entry has no earlier ones.
constexpr std::array<std::string_view, 6> kFirstKeys = {
    "action: ", "apiVersion: ", "eventId: ", "ingestionTime: ", "insertId: ", "kind: Event"};

// Where the keys stand of the object that the line begins, or nothing.
std::optional<std::size_t> begins_object(std::string_view line) {
  auto column = indent_of(line);
  if (column && line.substr(*column).starts_with("- ")) *column += 2;
  const auto begins = [&](std::string_view key) { return line.substr(*column).starts_with(key); };
  return column && std::ranges::any_of(kFirstKeys, begins) ? column : std::nullopt;
}

}  // namespace

void YamlEvents::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  const std::string_view own = without_quote_signs(line);
  const bool quoted = own.size() < line.size();
  if (!held_.empty() && (quoted != quoted_ || ends_object(own) || bytes_ > kLargestObject)) give(take);
  if (held_.empty()) {
    const auto column = begins_object(own);
    if (!column) return take(line, full, time);
    column_ = *column;
    quoted_ = quoted;
    time_ = time;
  }
  held_.emplace_back(line);
  full_ = full;
  bytes_ += line.size();
}

// A list may stand as far left as its key. `items` is one of objects, and their own first keys count.
bool YamlEvents::ends_object(std::string_view line) const {
  const auto indent = indent_of(line);
  if (!indent || *indent > column_) return false;
  const std::string_view text = line.substr(*indent);
  return *indent < column_ || text.starts_with("items:") || !(text.starts_with("- ") || is_yaml_key(line));
}

void YamlEvents::give(const Take& take) {
  const std::vector<std::string> lines = std::exchange(held_, {});
  bytes_ = 0;
  if (lines.size() > 1) {
    std::vector<std::string> own = lines;
    for (std::string& line : own) line.erase(0, line.size() - without_quote_signs(line).size());
    const std::string object = boost::json::serialize(yaml_object(own));
    const bool merged = find_merged(object) && merged_records(object).size() == 1;
    if (merged || find_record(object)) return take(object, true, time_);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) take(lines[i], full_ || i + 1 < lines.size(), time_);
}

}  // namespace flowtap::cli
