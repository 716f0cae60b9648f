#include "row_values.hpp"

#include <algorithm>
#include <utility>

#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix.hpp"
#include "tools/flowtap/saved/unwrap/around/value_margin.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kBetweenRowFields = ",;\t";
constexpr std::size_t kMostFields = 64;
constexpr std::size_t kMostRowsHeld = 32;  // an export has the rows of one time beside each other
constexpr std::size_t kLongestHeld = std::size_t{64} << 10U;  // bytes

/// The fields of a row, with their quotes. None: it does not end in this line, or has too many.
std::vector<std::string_view> whole_fields(std::string_view line, char between) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  bool in_quotes = false;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] == '"') in_quotes = !in_quotes;
    if (at < line.size() && (in_quotes || line[at] != between)) continue;
    if (in_quotes || out.size() == kMostFields) return {};
    out.push_back(line.substr(begin, at - begin));
    begin = at + 1;
  }
  return out;
}

bool is_quoted(std::string_view field) {
  return field.size() > 1 && field.starts_with('"') && field.ends_with('"');
}

std::string_view text_of(std::string_view field) {
  return is_quoted(field) ? field.substr(1, field.size() - 2) : field;
}

std::vector<std::string> others_of(const std::vector<std::string_view>& fields, std::size_t column) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (i != column) out.push_back(source_of(fields[i]));
  return out;
}

}  // namespace

// Only what stands in quotes has a form of its own. A table without them tells its logs by what stands before each line.
std::optional<RowValues::Open> RowValues::opened_by(std::string_view line) {
  constexpr std::string_view kOpens = "=<\"";
  if (!line.contains(kOpens)) return std::nullopt;
  for (const char between : kBetweenRowFields) {
    const auto fields = whole_fields(line, between);
    const auto opens = [kOpens](std::string_view field) {
      return is_quoted(field) && field.ends_with(kOpens) && flow::begins_klog_record(field.substr(1));
    };
    const auto found = std::ranges::find_if(fields, opens);
    if (found == fields.end() || fields.size() < 2) continue;
    const auto column = static_cast<std::size_t>(found - fields.begin());
    return Open{.between = between,
                .column = column,
                .row = {.what = What::kRecord, .opens = true, .others = others_of(fields, column)}};
  }
  return std::nullopt;
}

// A field without quotes may have what stands between fields.
std::optional<RowValues::Row> RowValues::row_of(std::string_view line) const {
  auto fields = whole_fields(line, open_->between);
  const std::size_t count = open_->row.others.size() + 1;
  if (fields.size() < count) return std::nullopt;
  const std::size_t more = fields.size() - count;
  std::string_view& own = fields[open_->column];
  own = std::string_view(own.begin(), fields[open_->column + more].end());
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(open_->column) + 1,
               fields.begin() + static_cast<std::ptrdiff_t>(open_->column + more) + 1);
  const std::string_view text = text_of(fields[open_->column]);
  Row row{.others = others_of(fields, open_->column)};
  if (text.starts_with(kValueEnds))
    row.what = What::kEnd;
  else if (text.starts_with('\t'))
    row.what = What::kRest;
  else if (!flow::begins_klog_record(text))
    return std::nullopt;
  row.opens = text.ends_with(kValueBegins);
  return row;
}

// A column that is another one in each row, such as an id, tells nothing.
RowValues::Whose RowValues::whose(const Row& row) const {
  bool own = false;
  bool others = false;
  for (std::size_t i = 0; i < row.others.size(); ++i) {
    const std::string& value = row.others[i];
    const bool is_own = value == open_->row.others[i];
    const auto has_it = [&](const Held& one) { return one.others[i] == value; };
    own = own || (is_own && !std::ranges::all_of(held_, has_it));
    others = others || (!is_own && std::ranges::any_of(held_, has_it));
  }
  if (own == others) return Whose::kNobodys;
  return own ? Whose::kItsOwn : Whose::kAnothers;
}

// False: the value is given up.
bool RowValues::take_row(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  auto row = row_of(line);
  if (!row) return false;
  const bool is_record = row->what == What::kRecord;
  const Whose whose = is_record ? Whose::kAnothers : held_.empty() ? Whose::kItsOwn : this->whose(*row);
  if (whose == Whose::kNobodys || (is_record && row->others == open_->row.others)) return false;
  if (whose == Whose::kAnothers) {
    if (held_.size() == kMostRowsHeld || line.size() > kLongestHeld) return false;
    held_.push_back({std::string(line), full, time, std::move(row->others)});
    return true;
  }
  take(line, full, time);
  if (row->what == What::kEnd && !row->opens) give_held(take);
  return true;
}

void RowValues::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  if (open_ && take_row(line, full, time, take)) return;
  if (open_) {
    give_held(take);
    return add(line, full, time, take);
  }
  open_ = opened_by(line);
  take(line, full, time);
}

// They may have such a value, too.
void RowValues::give_held(const Take& take) {
  open_.reset();
  for (auto held = std::exchange(held_, {}); !held.empty(); held.pop_front()) {
    const Held& one = held.front();
    add(one.line, one.full, one.time, take);
  }
}

void RowValues::finish(const Take& take) {
  while (open_) give_held(take);
}

}  // namespace flowtap::cli
