#include "joined_records.hpp"

#include <array>

#include "around/prefix_kind.hpp"
#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kLongest = 300;  // bytes of a header
constexpr std::size_t kParsed = std::size_t{16} << 10U;
constexpr std::string_view kJsonBegins = R"({"ts":)";
constexpr std::string_view kHeaderEnds = "] ";

// Another record's header at `at`, with its place in the program.
bool has_header(std::string_view line, std::size_t at) {
  if (line[at] == '{') return flow::klog_form(line.substr(at, kLongest)) == flow::KlogForm::kJson;
  if (at + 1 >= line.size() || !is_digit(line[at + 1])) return false;
  const std::string_view rest = line.substr(at, kLongest);
  if (flow::klog_form(rest) != flow::KlogForm::kText) return false;
  return flow::parse_klog_record(flow::KlogForm::kText, rest).source.contains(':');
}

// A quote that nobody has escaped would end the string in which the header seems to stand: so the string was cut before it.
bool cuts_string(std::string_view line, std::size_t at) {
  if (line[at] == '{') return true;
  const std::string_view body =
      flow::parse_klog_record(flow::KlogForm::kText, line.substr(at, kLongest)).body;
  return body.size() > 1 && body[0] == '"' && body[1] != '"' && body[1] != ' ';
}

// A record whose values have all ended, by quotes or brackets. So what looks like a record behind it is not part of a
// value.
bool is_whole(std::string_view text) {
  const auto record = flow::parse_klog_record(text);
  if (!record || !record->structured) return false;
  flow::KlogPairs pairs(*record);
  for (flow::KlogPair pair; pairs.next(pair);)
    if (pair.kind == flow::KlogPair::Kind::kUnquoted || pair.kind == flow::KlogPair::Kind::kCut) return false;
  const std::string_view rest = record->body.substr(pairs.at());
  return record->form == flow::KlogForm::kText ? rest.empty() : rest == "}";
}

// What separates lines where there are no newlines: signs of columns and lists, control characters, Unicode's own ends of lines, and tags.
std::string_view without_separators(std::string_view text) {
  constexpr std::string_view kSigns("\0\v\f\x1c\x1d\x1e\x1f \t\r,;|", 13);
  constexpr std::array<std::string_view, 3> kEndsOfLines = {"\xe2\x80\xa8", "\xe2\x80\xa9", "\xc2\x85"};
  constexpr std::size_t kLongestTag = 32;
  for (std::size_t was = 0; text.size() != was;) {
    was = text.size();
    text = text.substr(0, text.find_last_not_of(kSigns) + 1);  // npos + 1 is 0
    for (const std::string_view end : kEndsOfLines)
      if (text.ends_with(end)) text.remove_suffix(end.size());
    const std::size_t tag = text.ends_with('>') ? text.rfind('<') : kNone;
    const bool is_tag = tag != kNone && text.size() - tag <= kLongestTag && tag + 2 < text.size() &&
                        (is_lower(text[tag + 1]) || text[tag + 1] == '/');
    if (is_tag) text = text.substr(0, tag);
  }
  return text;
}

// The record that ends before a header outside of its strings: whole, and behind it at most what a tool puts before lines.
std::optional<std::string_view> ended(std::string_view before) {
  const std::string_view text = without_separators(before);
  if (is_whole(text)) return text;
  const std::size_t last = text.find_last_of("\"}");
  if (last == kNone || !is_whole(text.substr(0, last + 1))) return std::nullopt;
  const std::string_view behind = text.substr(last + 1);
  if (behind.contains('=') || prefix_kind(behind) == PrefixKind::kProse) return std::nullopt;
  return text.substr(0, last + 1);
}

// Nothing in most lines looks like the end of another header. In a line of many records, the next one's is near.
bool may_have_another(std::string_view text) {
  constexpr std::size_t kFirst = std::size_t{4} << 10U;
  for (std::size_t looked_at = kFirst;; looked_at *= 4) {
    const std::string_view part = text.substr(0, looked_at);
    if (part.contains(kHeaderEnds) || part.contains(kJsonBegins)) return true;
    if (part.size() == text.size()) return false;
  }
}

// A sentence has no word that ends with a header. Old ends of lines and tags have none of their own either.
bool is_glued(std::string_view before) {
  constexpr std::string_view kLineSeparator = "\xe2\x80\xa8";
  return is_alphanumeric(before.back()) || std::string_view(".)]}\r>").contains(before.back()) ||
         before.ends_with(kLineSeparator);
}

}  // namespace

std::optional<JoinedRecord> first_of_joined(std::string_view line) {
  const auto form = flow::klog_form(line);
  if (!form) return std::nullopt;
  // The rest of a line with tens of thousands of records is looked at again for each of them, so only its beginning is parsed.
  const bool is_text = *form == flow::KlogForm::kText;
  const flow::KlogRecord record =
      flow::parse_klog_record(*form, line.substr(0, is_text ? kParsed : kLongest));
  const std::size_t from = is_text ? static_cast<std::size_t>(record.body.data() - line.data()) : 1;
  if (!may_have_another(line.substr(from))) return std::nullopt;
  bool in_string = false;
  for (std::size_t at = from; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '\n') break;
    const std::string_view next = line.substr(at + 1, 1);
    if (c == '"') {
      in_string = !in_string;
    } else if (c == '\\' && in_string && (next == "\"" || next == "\\")) {
      ++at;
    } else if (std::string_view("IWEF{").contains(c) && has_header(line, at)) {
      const std::string_view before = line.substr(0, at);
      if (in_string) {
        if (cuts_string(line, at)) return JoinedRecord{.text = before, .next = at};
        continue;
      }
      if (at == from || !record.structured)
        return at > from && is_glued(before)
                   ? std::optional(JoinedRecord{.text = trimmed(before, "\r"), .next = at})
                   : std::nullopt;
      const auto text = ended(before);
      return text ? std::optional(JoinedRecord{.text = *text, .next = at}) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace flowtap::cli
