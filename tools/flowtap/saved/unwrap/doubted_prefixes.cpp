#include "doubted_prefixes.hpp"

#include <algorithm>
#include <cstddef>

#include "around/prefix.hpp"
#include "base/ascii.hpp"
#include "base/trimmed.hpp"
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

// "message: ", at the beginning of a line. 0: the line begins with no field's name.
std::size_t length_of_field_name(std::string_view line) {
  const auto of_name = [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '.' || c == '@' || c == '-';
  };
  const auto length = static_cast<std::size_t>(std::ranges::find_if_not(line, of_name) - line.begin());
  if (length == 0 || !line.substr(length).starts_with(':')) return 0;
  return line.size() == length + 1 || line[length + 1] == ' ' ? length + 1 : 0;
}

// "---", as YAML has between documents, or "Row 1:" and the line below it, as ClickHouse prints.
bool is_between_rows(std::string_view line) {
  constexpr std::string_view kRow = "Row ";
  constexpr std::string_view kLine = "\xe2\x94\x80";
  if (line == "---" || line == "...") return true;
  if (line.starts_with(kRow))
    return line.find_first_not_of("0123456789", kRow.size()) == line.size() - 1 && line.ends_with(':');
  return line.starts_with(kLine) && line.find_first_not_of(kLine) == std::string_view::npos;
}

}  // namespace

// A field of YAML may have further ones below it, which are indented.
void DoubtedPrefixes::note_form(std::string_view line, bool doubted, bool has_record) {
  line = trimmed(line, "\r");
  if (doubted) {
    others_ = others_ || length_of_field_name(line) == 0;
  } else if (!has_record &&
             (line.starts_with(' ') || length_of_field_name(line) > 0 || is_between_rows(line))) {
    ++fields_;
  } else {
    others_ = true;
  }
}

// Nothing else is in the file, so nobody but a tool has written the names.
bool DoubtedPrefixes::is_of_fields() const {
  if (others_ || fields_ == 0 || prefixes_.size() != 1) return false;
  const std::string_view name = trimmed(prefixes_.front().text);
  return length_of_field_name(name) == name.size();
}

void DoubtedPrefixes::note(std::string_view line, const std::optional<Enclosed>& found) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  ++lines_;
  const bool doubted = found && found->behind == PrefixKind::kDoubted && found->at <= kLongestPrefix;
  note_form(line, doubted, found.has_value());
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
  if (found == prefixes_.end()) return false;
  if (is_of_fields()) return true;
  if (found->records < kLeastRecords) return false;
  std::uint64_t lines = 0;
  for (const Prefix& one : prefixes_) lines += one.records >= kLeastRecords ? one.lines : 0;
  return 2 * lines > lines_;
}

}  // namespace flowtap::cli
