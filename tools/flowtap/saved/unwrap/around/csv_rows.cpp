#include "csv_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "prefix.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "value_margin.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kBetweenFields = ",;\t";
constexpr std::size_t kFarthest = 1024;  // bytes
constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kMostBefores = 16;

/// Where each field of a row begins, and whether the last one ends in this line.
struct Fields {
  std::vector<std::size_t> begins{0};
  bool open = false;
};

Fields fields_from(std::string_view line, char between) {
  Fields found;
  std::vector<std::size_t>& out = found.begins;
  bool in_quotes = line.starts_with('"');
  for (std::size_t at = in_quotes ? 1 : 0; at < line.size() && out.size() <= kMostColumns; ++at) {
    if (in_quotes && line[at] == '"') {
      const bool doubled = line.substr(at + 1).starts_with('"');
      at += doubled ? 1 : 0;
      in_quotes = doubled;
    } else if (!in_quotes && line[at] == between) {
      out.push_back(at + 1);
      in_quotes = line.substr(at + 1).starts_with('"');
      at += in_quotes ? 1 : 0;
    }
  }
  found.open = in_quotes;
  return found;
}

// None: the row does not end in this line.
std::vector<std::size_t> fields_of(std::string_view line, char between) {
  Fields found = fields_from(line, between);
  return found.open ? std::vector<std::size_t>() : std::move(found.begins);
}

bool is_schedulers_line(std::string_view field) {
  return flow::begins_klog_record(field) || field.starts_with('\t') || field == kValueEnds;
}

}  // namespace

void CsvRows::note_row(std::string_view line, std::size_t at) {
  if (at == 0 || at > kFarthest || line[at - 1] != '"') return;
  // An export may have the logs of several containers.
  if (columns_ > 0) return has_field(line, at) ? note_before(line.substr(0, at - 1)) : void();
  for (const char sign : kBetweenFields) {
    if (at > 1 && line[at - 2] != sign) continue;
    const Fields row = fields_from(line, sign);
    const auto own = std::ranges::find(row.begins, at - 1);
    if (own == row.begins.end() || row.begins.size() < 2) continue;
    between_ = sign;
    column_ = static_cast<std::size_t>(own - row.begins.begin());
    columns_ = row.open ? 0 : row.begins.size();
    knows_field_ = true;
    return note_before(line.substr(0, at - 1));
  }
}

void CsvRows::note_before(std::string_view before) {
  std::string buffer;
  const std::string source = source_of(ids_.without_in_prefix(before, buffer));
  const auto is_its = [&](const std::string& one) {
    return source_of(ids_.without_in_prefix(one, buffer)) == source;
  };
  if (befores_.size() < kMostBefores && std::ranges::none_of(befores_, is_its)) befores_.emplace_back(before);
}

void CsvRows::note_plain(std::string_view line) {
  plain_ = plain_ || line.contains('"');
}

void CsvRows::note_record(std::string_view line, std::size_t at) {
  ids_.note(line, at);
}

void CsvRows::note_rest(std::string_view line) {
  ids_.note_rest(line);
}

void CsvRows::note_heading(std::string_view line) {
  ids_.note_heading(line);
}

std::string_view CsvRows::without_ids(std::string_view line, std::string& buffer) const {
  return ids_.without(line, buffer);
}

bool CsvRows::is_row(std::string_view line) const {
  std::string buffer;
  return knows_field_ && !plain_ && std::ranges::any_of(befores_, [&](const std::string& before) {
           return before.empty() || begins_alike(ids_.without_in_prefix(before, buffer), line);
         });
}

// Another program's field may have newlines, and behind one what looks like a row.
bool CsvRows::is_amid_field(std::string_view line) {
  const bool opens_or_closes = std::ranges::count(line, '"') % 2 != 0;
  return std::exchange(open_, open_ != opens_or_closes);
}

// A row of another source, or with words before the field, may be another program's.
bool CsvRows::is_of_the_log(std::string_view line, std::size_t field) const {
  std::string buffer;
  return std::ranges::any_of(befores_, [&](const std::string& one) {
    const std::string_view before = ids_.without_in_prefix(one, buffer);
    return before.empty() ? field == 0 : end_of_own_prefix(before, source_of(before), line) == field;
  });
}

// Some programs put a field in quotes only if it has some, so it may have what stands between fields, too.
std::string_view CsvRows::quoted(std::string_view line, std::string& buffer) {
  if (!knows() || is_amid_field(line) || !is_row(line)) return line;
  const auto fields = fields_of(line, between_);
  if (fields.size() < columns_ || fields.size() > kMostColumns) return line;
  const std::size_t behind = columns_ - column_ - 1;  // fields
  const std::size_t begin = fields[column_];
  if (!is_of_the_log(line, begin)) return line;
  const std::size_t end = behind == 0 ? line.size() : fields[fields.size() - behind] - 1;
  const std::string_view field = line.substr(begin, end - begin);
  if (field.contains('"') || !is_schedulers_line(field)) return line;
  buffer.assign(line.substr(0, begin)).append(1, '"').append(field).append(1, '"').append(line.substr(end));
  return buffer;
}

bool CsvRows::is_field(std::string_view line, std::size_t at) const {
  return at > 0 && line[at - 1] == '"' && is_row(line) && has_field(line, at);
}

bool CsvRows::has_field(std::string_view line, std::size_t at) const {
  if (at > kFarthest) return false;
  const auto fields = fields_from(line.substr(0, at), between_).begins;
  return column_ < fields.size() && fields[column_] == at - 1;
}

}  // namespace flowtap::cli
