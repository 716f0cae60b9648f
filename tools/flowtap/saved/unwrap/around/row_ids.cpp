#include "row_ids.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "prefix.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "value_margin.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kBetweenColumns = ",;\t|";
constexpr std::size_t kMostTables = 4;
constexpr std::size_t kMostBeforeRecord = 64;
constexpr std::size_t kMostValues = 256;
constexpr std::size_t kMostSeen = 2 * kMostValues;
constexpr std::size_t kMostHeadings = 64;  // lines that may be one
constexpr std::uint64_t kFewRows = 4;
constexpr std::size_t kLongestBefore = 4096;  // bytes
constexpr std::size_t kTellingRecord = 64;    // bytes of a record, and its time is among them

// Never 0.
std::size_t line_hash(std::string_view text) {
  return std::hash<std::string_view>{}(text) | 1U;
}

// Where each of the first fields begins, and the one behind them; fewer: the line has no more.
std::vector<std::size_t> first_fields(std::string_view line, char between, std::size_t count) {
  std::vector<std::size_t> out{0};
  bool in_quotes = false;
  for (std::size_t at = 0; at < line.size() && out.size() <= count; ++at) {
    if (line[at] == '"') in_quotes = !in_quotes;
    if (!in_quotes && line[at] == between) out.push_back(at + 1);
  }
  return out;
}

// Behind the blanks and the quote that may stand before a field's text.
std::string_view text_of_field(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  field.remove_prefix(field.starts_with('"') ? 1 : 0);
  return field;
}

// A pod's name is in small letters. Ids that are not have them beside large ones, and digits.
bool may_be_name(std::string_view value) {
  return !std::ranges::any_of(value, is_upper) || !std::ranges::any_of(value, is_lower) ||
         !std::ranges::any_of(value, is_digit);
}

// The file from which a collector has taken the row.
bool is_path(std::string_view field) {
  return text_of_field(field).starts_with('/');
}

// What exports call a row's own id.
bool is_id_name(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames = {"insertid", "_id",   "id",    "eventid",
                                                       "event_id", "@ptr",  "uuid",  "_uuid",
                                                       "log_id",   "logid", "rowid", "__cursor"};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), to_lower);
  return std::ranges::find(kNames, lower) != kNames.end();
}

bool is_column_name(std::string_view name) {
  const auto of_name = [](char c) { return is_alphanumeric(c) || std::string_view("_.-@/ ()").contains(c); };
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, of_name);
}

/// What stands before a record, if fields do.
struct FieldsBefore {
  char between = '\0';
  std::vector<std::size_t> fields = {};  // the last one is the record's
};

FieldsBefore fields_before(std::string_view before) {
  if (before.size() > kLongestBefore) return {};
  const std::string_view quoted = before.substr(0, before.size() - (before.ends_with('"') ? 1 : 0));
  const std::size_t end = quoted.find_last_not_of(' ') + 1;  // npos + 1 is 0
  if (end == 0 || !kBetweenColumns.contains(quoted[end - 1])) return {};
  FieldsBefore out{.between = quoted[end - 1],
                   .fields = first_fields(quoted.substr(0, end), quoted[end - 1], kMostBeforeRecord)};
  return out.fields.back() == end ? out : FieldsBefore{};
}

}  // namespace

// A row may stand in an export twice, and a few rows may each be another pod's. A container's id may be called the same as a row's.
bool RowIds::Table::is_id(const Column& column) const {
  const bool differs = column.values.size() > 1 && 10 * column.values.size() > 9 * rows;
  if (column.apart || (column.called && column.again && !column.many)) return false;
  if (!column.called && (column.paths || (column.names && rows < kFewRows))) return false;
  return column.many || differs;
}

void RowIds::Table::note_row(std::string_view line, const std::vector<std::size_t>& fields,
                             std::size_t record) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    column.many = column.many || column.values.size() == kMostValues;
    if (column.many) continue;
    const std::string_view field = line.substr(fields[i], fields[i + 1] - fields[i]);
    std::string value = source_of(field);
    column.names = column.names && may_be_name(value);
    column.paths = column.paths && is_path(field);
    const auto [one, is_new] = column.values.try_emplace(value, record);
    std::size_t& known = one->second;
    // Of all numbers 0 is left, so two of them may seem to be one.
    if (std::ranges::none_of(value, [](char c) { return is_alphanumeric(c) && c != '0'; })) continue;
    if (!is_new && known != 0 && record != 0)
      column.again = column.again || known != record;
    else if (!is_new)
      column.apart = column.apart || column.last != value;
    if (known == 0) known = record;
    column.last = std::move(value);
  }
}

bool RowIds::Table::has_row(std::string_view line, const std::vector<std::size_t>& fields) const {
  if (fields.size() != columns.size() + 1) return false;
  const std::string_view field = line.substr(fields.back());
  const std::string_view text = text_of_field(field);
  const bool ends_value = text.starts_with(kValueEnds) || (field.starts_with(' ') && text.starts_with('>'));
  return flow::begins_klog_record(text) || text.starts_with('\t') || ends_value;
}

bool RowIds::Table::has_ids() const {
  return std::ranges::any_of(columns, [this](const Column& column) { return is_id(column); });
}

std::string_view RowIds::Table::without_ids(std::string_view line, const std::vector<std::size_t>& fields,
                                            std::string& buffer) const {
  buffer.clear();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_id(columns[i]))
      buffer.append(1, '0').append(1, between);
    else
      buffer.append(line.substr(fields[i], fields[i + 1] - fields[i]));
  }
  return buffer.append(line.substr(fields.back()));
}

void RowIds::note_heading(std::string_view line) {
  if (!heading_.ids.empty() || line.size() > kLongestBefore || ++headings_looked_at_ > kMostHeadings) return;
  for (const char between : kBetweenColumns) {
    std::vector<std::string_view> names;
    for (std::string_view rest = line; !rest.empty() && names.size() < kMostBeforeRecord;) {
      const std::size_t end = std::min(rest.find(between), rest.size());
      names.push_back(trimmed(rest.substr(0, end), " \"\r"));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (names.size() < 2 || std::ranges::none_of(names, is_id_name)) continue;
    if (!std::ranges::all_of(names, is_column_name)) continue;
    heading_.between = between;
    for (const std::string_view name : names) heading_.ids.push_back(is_id_name(name));
    return;
  }
}

void RowIds::note(std::string_view line, std::size_t at) {
  const std::string_view before = line.substr(0, at);
  const FieldsBefore row = fields_before(before);
  if (row.fields.size() < 2 || is_seen(line)) return;
  const std::size_t count = row.fields.size() - 1;
  auto table = std::ranges::find_if(
      tables_, [&](const Table& one) { return one.between == row.between && one.columns.size() == count; });
  if (table == tables_.end()) {
    if (tables_.size() == kMostTables) return;
    table = tables_.insert(table, {.between = row.between, .columns = std::vector<Column>(count)});
    if (heading_.between == row.between)
      for (std::size_t i = 0; i < std::min(count, heading_.ids.size()); ++i)
        table->columns[i].called = heading_.ids[i];
  }
  ++table->rows;
  table->note_row(before, row.fields, line_hash(line.substr(at, kTellingRecord)));
}

void RowIds::note_rest(std::string_view line) {
  if (seen_.size() == kMostSeen) return;
  for (Table& table : tables_) {
    const std::vector<std::size_t> fields = first_fields(line, table.between, table.columns.size());
    if (!table.has_row(line, fields)) continue;
    if (!is_seen(line)) table.note_row(line, fields, 0);
    return;
  }
}

// A line that is looked at for the second time.
bool RowIds::is_seen(std::string_view line) {
  const std::size_t hash = line_hash(line);
  if (seen_.contains(hash)) return true;
  if (seen_.size() < kMostSeen) seen_.insert(hash);
  return false;
}

std::string_view RowIds::without(std::string_view line, std::string& buffer) const {
  if (tables_.empty() || flow::begins_klog_record(line)) return line;
  for (const Table& table : tables_) {
    if (!table.has_ids()) continue;
    const std::vector<std::size_t> fields = first_fields(line, table.between, table.columns.size());
    if (table.has_row(line, fields)) return table.without_ids(line, fields, buffer);
  }
  return line;
}

std::string_view RowIds::without_in_prefix(std::string_view before, std::string& buffer) const {
  if (tables_.empty()) return before;
  const FieldsBefore row = fields_before(before);
  for (const Table& table : tables_)
    if (table.between == row.between && table.columns.size() + 1 == row.fields.size() && table.has_ids())
      return table.without_ids(before, row.fields, buffer);
  return before;
}

}  // namespace flowtap::cli
