#include "plain_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "base/trimmed.hpp"
#include "enclosed_record.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

/// A text, and what it stands for.
using Stands = std::pair<std::string_view, std::string_view>;

constexpr std::array kSpaces = {Stands{"\xc2\xa0", " "}, Stands{"\xe2\x80\xaf", " "},
                                Stands{"\xe2\x80\x87", " "}};
constexpr std::array kTabs = {Stands{"\t", " "}};
// The ampersand is last: "&amp;quot;" is a text that was encoded with its own entity.
constexpr std::array kEntities = {Stands{"&quot;", "\""}, Stands{"&#34;", "\""}, Stands{"&#x22;", "\""},
                                  Stands{"&lt;", "<"},    Stands{"&gt;", ">"},   Stands{"&#39;", "'"},
                                  Stands{"&#x27;", "'"},  Stands{"&apos;", "'"}, Stands{"&nbsp;", " "},
                                  Stands{"&#160;", " "},  Stands{"&#9;", "\t"},  Stands{"&amp;", "&"}};
constexpr std::array kQuotes = {Stands{"\xe2\x80\x9c", "\""}, Stands{"\xe2\x80\x9d", "\""},
                                Stands{"\xe2\x80\x9e", "\""}, Stands{"\xe2\x80\x9f", "\""}};

constexpr std::string_view kWindowsBytes = "\x93\x94\x84\xa0";
constexpr std::string_view kObjectInField = R"("{"")";
constexpr std::array kDoubled = {Stands{R"("")", "\""}};

bool has_any(std::string_view text, std::span<const Stands> table) {
  return std::ranges::any_of(table, [text](const Stands& row) { return text.contains(row.first); });
}

// Where the quote stands that ends a field of CSV; npos: it is not in this line.
std::size_t end_of_field(std::string_view line, std::size_t at) {
  for (at = line.find('"', at); at != std::string_view::npos; at = line.find('"', at + 2))
    if (!line.substr(at + 1).starts_with('"')) return at;
  return at;
}

void replace_all(std::string_view text, std::span<const Stands> table, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto row =
        std::ranges::find_if(table, [rest](const Stands& one) { return rest.starts_with(one.first); });
    out += row == table.end() ? rest.substr(0, 1) : row->second;
    at += row == table.end() ? 1 : row->first.size();
  }
}

// What the first record of the line says behind its header; nothing if there is no record. JSON has no header.
std::string_view body_in(std::string_view line, const Enclosed& found) {
  const std::string_view text = line.substr(found.at);
  return found.form == flow::KlogForm::kText ? flow::parse_klog_record(found.form, text).body : text;
}

// Whether the message stands in such quotes. If it stands in klog's own, the others belong to a value.
bool is_quoted_by(std::string_view line, std::span<const Stands> table) {
  const auto found = find_record(line);
  if (!found) return false;
  const std::string_view body = body_in(line, *found);
  return std::ranges::any_of(table, [body](const Stands& row) { return body.starts_with(row.first); });
}

// The line with the quotes that klog writes. `state` goes on from a record to its further lines.
std::string_view requoted(std::string_view line, std::span<const Stands> table, bool& state,
                          std::string& buffer) {
  const bool any = has_any(line, table);
  if (!any) {
    state = state && !find_record(line);
    return line;
  }
  replace_all(line, table, buffer);
  if (find_record(buffer)) state = !find_record(line) || is_quoted_by(line, table);
  return state ? std::string_view(buffer) : line;
}

// Nothing stands where klog has a space: before the thread, behind the time, or between the message and its pairs.
bool has_tabs_for_spaces(std::string_view line) {
  const auto found = find_record(line);
  if (!found) return true;
  if (found->form != flow::KlogForm::kText) return false;
  const flow::KlogRecord record = flow::parse_klog_record(found->form, line.substr(found->at));
  return record.source.empty() || (record.structured && record.body.substr(record.pairs).starts_with('\t'));
}

// It is a line of a value, which klog sets behind a tab: in CSV or in quotes.
bool has_tab_in_quotes(std::string_view line) {
  constexpr std::string_view kBefore = ",;:=[{( \t";
  for (std::size_t at = line.find("\"\t"); at != std::string_view::npos; at = line.find("\"\t", at + 1))
    if (at == 0 || kBefore.contains(line[at - 1])) return true;
  return false;
}

// klog ends a line so where a value of several lines begins. What a value between quotes says ends with a quote.
bool opens_value_in_page(std::string_view line) {
  return trimmed(line, "\r").ends_with("=&lt;") && find_record(line);
}

// In UTF-8. 0: none begins the text.
std::size_t length_of_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80U   ? 1
                             : first < 0xc2U ? 0
                             : first < 0xe0U ? 2
                             : first < 0xf0U ? 3
                             : first < 0xf5U ? 4
                                             : 0;
  const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  return length <= text.size() &&
                 std::ranges::all_of(text.substr(0, length).substr(std::min<std::size_t>(1, length)), goes_on)
             ? length
             : 0;
}

}  // namespace

// A record's own line is none of CSV: its value may have such quotes.
bool has_object_in_field(std::string_view line) {
  return line.contains(kObjectInField) && !flow::begins_klog_record(line);
}

void PlainText::undo_spaces(std::string_view& line, bool in_block) {
  if (has_any(line, kSpaces)) {
    std::string spaced;
    replace_all(line, kSpaces, spaced);
    // A record, whose value may be one of several lines, and these.
    if (!in_block && find_record(spaced)) spaces_ = true;
    if (spaces_) line = spaced_ = std::move(spaced);
  } else if (spaces_ && !in_block && find_record(line)) {
    spaces_ = false;
  }
  if (in_block || !line.contains('\t') || has_tab_in_quotes(line) || !has_tabs_for_spaces(line)) return;
  std::string spaced;
  replace_all(line, kTabs, spaced);
  if (find_record(spaced)) line = spaced_ = std::move(spaced);
}

// Fields that are objects are given as the JSON that they are, and all others stay doubled. An object may have its newline before the
// quote that ends its field.
std::string_view PlainText::without_doubled_objects(std::string_view line) {
  undoubled_.clear();
  std::string field;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = line.find(kObjectInField, at)) != std::string_view::npos; at = done) {
    std::size_t end = end_of_field(line, at + 1);
    const bool open = end == std::string_view::npos;
    if (open && !trimmed(line, "\r").ends_with('}')) break;
    field_open_ = open;
    end = std::min(end, line.size());
    replace_all(line.substr(at + 1, end - at - 1), kDoubled, field);
    undoubled_.append(line.substr(done, at + 1 - done)).append(field);
    done = end;
  }
  return undoubled_.append(line.substr(done));
}

// Bytes of Windows-1252 that are not valid in UTF-8: its quotes and the non-breaking space.
std::string_view PlainText::without_windows_signs(std::string_view line) {
  static constexpr std::array kWindows = {Stands{"\x93", "\xe2\x80\x9c"}, Stands{"\x94", "\xe2\x80\x9d"},
                                          Stands{"\x84", "\xe2\x80\x9e"}, Stands{"\xa0", "\xc2\xa0"}};
  windows_.clear();
  bool any = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t length = length_of_character(line.substr(at));
    const auto* const row = std::ranges::find(kWindows, line.substr(at, 1), &Stands::first);
    const bool stands = length == 0 && row != kWindows.end();
    windows_ += stands ? row->second : line.substr(at, std::max<std::size_t>(length, 1));
    at += std::max<std::size_t>(length, 1);
    any = any || stands;
  }
  return any ? std::string_view(windows_) : line;
}

std::string_view PlainText::undo(std::string_view line, bool in_block) {
  if (line.find_first_of(kWindowsBytes) != std::string_view::npos) line = without_windows_signs(line);
  field_open_ = false;
  if (has_object_in_field(line)) line = without_doubled_objects(line);
  undo_spaces(line, in_block);
  page_ = page_ || opens_value_in_page(line);
  if (page_ && line.contains('&')) {
    replace_all(line, kEntities, decoded_);
    line = decoded_;
  } else if (entities_ || line.contains('&')) {
    line = requoted(line, kEntities, entities_, decoded_);
  }
  if (quotes_ || line.contains("\xe2\x80")) line = requoted(line, kQuotes, quotes_, quoted_);
  return line;
}

}  // namespace flowtap::cli
