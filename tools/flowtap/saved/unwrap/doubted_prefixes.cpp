#include "doubted_prefixes.hpp"

#include <algorithm>
#include <cstddef>

#include "around/field_name.hpp"
#include "around/prefix.hpp"
#include "base/trimmed.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kMostPrefixes = 16;
constexpr std::size_t kLongestPrefix = 300;  // bytes
// Fewer may all be quotations.
constexpr std::uint64_t kLeastRecords = 3;
constexpr std::uint64_t kLeastRows = 2;  // of fields

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

std::string_view field_name(std::string_view line) {
  const std::size_t length = length_of_field_name(line);
  return line.substr(0, length == 0 ? 0 : length - 1);
}

// Of what stands before a record, if that is nothing but a name and a quote: "message: '".
std::string_view field_of(std::string_view before) {
  const std::string_view name = trimmed(before, " \"'");
  return name.size() == length_of_field_name(name) ? field_name(name) : std::string_view();
}

// "---", as YAML has between documents, "Row 1:" and the line below it, as ClickHouse prints, and MySQL's "*** 1. row ***".
bool is_between_rows(std::string_view line) {
  constexpr std::string_view kRow = "Row ";
  constexpr std::string_view kLine = "\xe2\x94\x80";
  constexpr std::string_view kDigits = "0123456789";
  if (line == "---" || line == "...") return true;
  if (line.starts_with(kRow))
    return line.find_first_not_of(kDigits, kRow.size()) == line.size() - 1 && line.ends_with(':');
  if (line.starts_with("***")) {
    const std::string_view inner = trimmed(line, "* ");
    return line.ends_with("***") &&
           inner.substr(std::min(inner.find_first_not_of(kDigits), inner.size())) == ". row";
  }
  return line.starts_with(kLine) && line.find_first_not_of(kLine) == std::string_view::npos;
}

}  // namespace

// A field of YAML may have further ones below it, which are indented.
void DoubtedPrefixes::note_form(std::string_view line, std::string_view before, bool has_record) {
  const bool doubted = !before.empty();
  line = trimmed(line, "\r");
  if (!has_record && is_between_rows(line)) {
    others_ = others_ || (row_.has_lines() && !row_.is_whole());
    rows_ += row_.has_lines() ? 1 : 0;
    row_ = {};
    return;
  }
  const bool is_field = line.starts_with(' ') || length_of_field_name(line) > 0;
  const bool has_lines = is_field_of_lines(field_name(trimmed(line)));
  const bool is_right = doubted ? is_field_of_lines(field_of(before)) : is_field && !has_lines && !has_record;
  ++(doubted ? row_.records : row_.fields);
  others_ = others_ || !is_right;
}

// Each row has one record in the same field and something else, and nothing but rows is in the file. A program that quotes a record has
// lines without any, under the same name, too.
bool DoubtedPrefixes::is_of_fields() const {
  const std::uint64_t rows = rows_ + (row_.has_lines() ? 1 : 0);
  return !others_ && rows_ > 0 && rows >= kLeastRows && (!row_.has_lines() || row_.is_whole()) &&
         prefixes_.size() == 1 && is_field_of_lines(field_of(prefixes_.front().text));
}

void DoubtedPrefixes::note(std::string_view line, const std::optional<Enclosed>& found) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  ++lines_;
  const bool doubted = found && found->behind == PrefixKind::kDoubted && found->at <= kLongestPrefix;
  note_form(line, line.substr(0, doubted ? found->at : 0), found.has_value());
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
