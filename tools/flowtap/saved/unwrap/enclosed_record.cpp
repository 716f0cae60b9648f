#include "enclosed_record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "around/literal.hpp"
#include "around/prefix.hpp"
#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "single_quoted.hpp"
#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::cli {
namespace {

using flow::KlogForm;

constexpr std::size_t kLongestHeader = 300;
constexpr std::size_t kLongestLiteral = 4096;  // of one that is looked at

// What a record may begin with: klog's letters, and JSON's brace.
constexpr auto kBeginsOne = [] {
  std::array<bool, 256> first{};
  for (const char c : {'I', 'W', 'E', 'F', '{'}) first[static_cast<unsigned char>(c)] = true;
  return first;
}();

std::size_t slashes_before(std::string_view text, std::size_t at) {
  std::size_t from = at;
  while (from > 0 && text[from - 1] == '\\') --from;
  return at - from;
}

// A text that was quoted n times has this many backslashes before its own quotes.
std::optional<unsigned> depth_of(std::size_t slashes) {
  if (slashes == 0 || !std::has_single_bit(slashes + 1)) return std::nullopt;
  return static_cast<unsigned>(std::bit_width(slashes + 1)) - 2;
}

// By the first of the text's own quotes, which stands at `at`.
std::optional<Enclosed> by_quote(std::string_view line, std::size_t at) {
  const std::size_t slashes = slashes_before(line, at);
  if (slashes > 0) {
    const auto depth = depth_of(slashes);
    return depth ? std::optional(Enclosed{.quoting = Quoting::kEscaped, .depth = *depth}) : std::nullopt;
  }
  if (line.substr(at, 2) == R"("")") return Enclosed{.quoting = Quoting::kDoubled};
  return Enclosed{};
}

// Where the quote stands that opens the string of JSON or CSV in which `at` is; npos: there is none.
std::size_t open_quote(std::string_view line, std::size_t at) {
  const std::size_t from = at - std::min(at, kLongestHeader);
  const std::size_t quote = line.substr(from, at - from).rfind('"');
  if (quote == std::string_view::npos) return quote;
  std::size_t before = from + quote - slashes_before(line, from + quote);
  while (before > 0 && line[before - 1] == ' ') --before;
  const bool opens =
      before == 0 || std::string_view(":,;[({>=\t").contains(line[before - 1]) || from + quote + 1 == at;
  return opens ? from + quote : std::string_view::npos;
}

bool has_member(std::string_view text) {
  return text.contains(R"(":)") || text.contains(R"(" :)");
}

// Members of an object or of a list, whatever they are.
bool are_members(std::string_view text) {
  if (text.ends_with("', '") || text.ends_with("\", ")) return true;
  if (text.empty() || text.starts_with('{') || std::string_view(",[{(=").contains(text.back())) return true;
  // A line may have thousands of records, and each one has its members near it, or the line begins with them.
  const std::size_t looked_at = std::min(text.size(), kLongestLiteral);
  return has_member(text.substr(0, looked_at)) || has_member(text.substr(text.size() - looked_at));
}

// `from`: what stands before it in the line was read.
PrefixKind kind_of(std::string_view before, std::size_t from) {
  const std::string_view unread = before.substr(std::min(from, before.size()));
  const bool next = from > 0 && trimmed(unread).empty();  // strings side by side
  if (next || (unread.size() <= kLongestLiteral && is_of_literal(unread))) return PrefixKind::kTools;
  if (are_members(before)) return PrefixKind::kTools;
  return prefix_kind(before.substr(before.size() - std::min(before.size(), kLongestHeader)));
}

// A tool's prefix may stand in a string, if that has several lines also at the beginning of one.
PrefixKind in_string(std::string_view line, std::size_t opening, std::size_t at) {
  std::string_view before = line.substr(opening + 1, at - opening - 1);
  if (const std::size_t newline = before.rfind(R"(\n)"); newline != std::string_view::npos)
    before.remove_prefix(newline + 2);
  if (is_of_block_in_quotes(before)) return PrefixKind::kProse;
  return prefix_kind(before) == PrefixKind::kTools ? PrefixKind::kTools : PrefixKind::kProse;
}

PrefixKind kind_of_prefix(std::string_view line, std::size_t from, std::size_t opening,
                          const Enclosed& found) {
  const std::string_view before = line.substr(0, found.at);
  switch (found.quoting) {
    case Quoting::kEscaped: {
      if (opening == std::string_view::npos) {
        // The next row of a statement: its string begins with the record.
        if (from > 0 && before.ends_with('\'')) return kind_of(before, from);
        const std::string_view near = before.substr(found.at - std::min(found.at, kLongestHeader));
        if (const std::size_t newline = near.rfind(R"(\n)"); newline != std::string_view::npos)
          return prefix_kind(near.substr(newline + 2));
        return near.contains(R"(\")") ? PrefixKind::kProse : PrefixKind::kTools;
      }
      const PrefixKind kind = in_string(line, opening, found.at);
      return kind == PrefixKind::kTools ? kind_of(line.substr(0, opening), from) : kind;
    }
    case Quoting::kDoubled:
      return opening == std::string_view::npos ? PrefixKind::kTools : in_string(line, opening, found.at);
    case Quoting::kRaw:
      return kind_of(line.substr(0, opening), from);
    case Quoting::kNone:
      return kind_of(before, from);
  }
  return PrefixKind::kTools;
}

// {"ts":1, {\"ts\":1 or {""ts"":1
std::optional<Enclosed> json_at(std::string_view line, std::size_t from, std::size_t at) {
  const std::size_t quote = line.find_first_not_of('\\', at + 1);
  if (quote == std::string_view::npos || line[quote] != '"') return std::nullopt;
  auto found = by_quote(line, quote);
  if (!found) return std::nullopt;
  const std::size_t width = quote - at + (found->quoting == Quoting::kDoubled ? 1 : 0);
  const std::string_view mark = line.substr(at + 1, width);
  std::string_view rest = line.substr(at + 1 + width);
  for (const std::string_view part : {std::string_view("ts"), mark, std::string_view(":")}) {
    if (!rest.starts_with(part)) return std::nullopt;
    rest.remove_prefix(part.size());
  }
  if (rest.empty() || !is_digit(rest.front())) return std::nullopt;
  found->at = at;
  found->form = KlogForm::kJson;
  found->behind = kind_of_prefix(line, from, open_quote(line, at), *found);
  return found;
}

// A newline or a colour, as it stands in a string.
bool is_behind_escape(std::string_view line, std::size_t at) {
  constexpr std::string_view kColour = R"(\u001b[)";
  constexpr std::size_t kLongestColour = 24;
  if (line[at - 1] == 'm') {
    const std::string_view before = line.substr(0, at - 1).substr(at - std::min(at, kLongestColour));
    const std::size_t colour = before.rfind(kColour);
    return colour != std::string_view::npos &&
           before.find_first_not_of("0123456789;", colour + kColour.size()) == std::string_view::npos;
  }
  return at >= 2 && std::string_view("nrt").contains(line[at - 1]) && slashes_before(line, at - 1) % 2 == 1;
}

// "10:00:00 AM", "10:00:00" or "10:00:00.103Z": some pages put a time right before a line.
bool is_behind_clock(std::string_view line, std::size_t at) {
  constexpr std::size_t kLongestClock = 24;
  std::string_view before = line.substr(at - std::min(at, kLongestClock), std::min(at, kLongestClock));
  for (const std::string_view mark : {"AM", "PM", "am", "pm", "Z"})
    if (before.ends_with(mark)) {
      before.remove_suffix(mark.size());
      before = before.substr(0, before.find_last_not_of(" \xe2\x80\xaf") + 1);  // npos + 1 is 0
      break;
    }
  const std::size_t digits = before.find_last_not_of("0123456789") + 1;
  if (before.substr(0, digits).ends_with('.')) before = before.substr(0, digits - 1);
  if (before.size() < 6) return false;
  const std::string_view end = before.substr(before.size() - 6);
  return end[0] == ':' && is_digit(end[1]) && is_digit(end[2]) && end[3] == ':' && is_digit(end[4]) &&
         is_digit(end[5]);
}

std::optional<Enclosed> text_at(std::string_view line, std::size_t from, std::size_t at) {
  const std::string_view rest = line.substr(at, kLongestHeader);
  if (flow::klog_form(rest) != KlogForm::kText) return std::nullopt;
  const flow::KlogRecord record = flow::parse_klog_record(KlogForm::kText, rest);
  if (at > 0 && !record.source.contains(':')) return std::nullopt;
  const std::size_t body = at + static_cast<std::size_t>(record.body.data() - rest.data());
  const std::size_t opening = open_quote(line, at);
  const bool in_quotes = opening != std::string_view::npos;
  // A structured message begins with a quote. Prose has quotes anywhere or nowhere, and then only the one before it tells.
  const std::size_t quote = line.find_first_not_of('\\', body);
  Enclosed found;
  if (quote != std::string_view::npos && line[quote] == '"') {
    const auto by = by_quote(line, quote);
    if (!by) return std::nullopt;
    found = *by;
    if (in_quotes && opening + 1 == at && found.quoting == Quoting::kNone) found.quoting = Quoting::kRaw;
  } else if (const std::size_t any = in_quotes ? line.find('"', body) : std::string_view::npos;
             any != std::string_view::npos) {
    const bool doubled = line.substr(any, 2) == R"("")" && slashes_before(line, any) == 0;
    found.quoting = doubled ? Quoting::kDoubled : Quoting::kEscaped;
    found.depth = static_cast<unsigned>(std::bit_width(slashes_before(line, opening) + 1)) - 1;
  } else if (!in_quotes && at > 0 && line[at - 1] == 'n' && is_behind_escape(line, at)) {
    found.quoting = Quoting::kEscaped;  // a later line of a string that begins far before it
    found.depth = static_cast<unsigned>(std::bit_width(slashes_before(line, at - 1))) - 1;
  }
  found.at = at;
  found.behind = kind_of_prefix(line, from, opening, found);
  return found;
}

// Where the quote stands that ends the text; npos: it is not in this line.
std::size_t end_of_escaped(std::string_view line, std::size_t at, unsigned depth) {
  if (depth == 0) {
    const std::size_t behind = flow::end_of_quoted(line, at);
    return behind == std::string_view::npos ? std::string_view::npos : behind - 1;
  }
  const std::size_t slashes = (std::size_t{1} << depth) - 1;
  for (at = line.find('"', at); at != std::string_view::npos; at = line.find('"', at + 1))
    if (slashes_before(line, at) == slashes) return at - slashes;
  return std::string_view::npos;
}

// MySQL writes strings in single quotes, with a backslash before both kinds of quotes or with two single ones for one; npos: the end is
// not in this line. Others leave the apostrophe of "didn't" as it is.
std::size_t end_of_escaped_single(std::string_view line, std::size_t at) {
  for (; at < line.size(); ++at) {
    const std::string_view rest = line.substr(at + 1);
    if (line[at] == '\\' || (line[at] == '\'' && rest.starts_with('\'')))
      ++at;
    else if (line[at] == '\'' && (rest.empty() || std::string_view(",;)]} \t\r").contains(rest.front())))
      return at;
  }
  return std::string_view::npos;
}

std::size_t end_of_escaped(std::string_view line, const Enclosed& found) {
  const bool in_single = found.at > 0 && line[found.at - 1] == '\'' && found.depth == 0 &&
                         open_quote(line, found.at) == std::string_view::npos;
  return in_single ? end_of_escaped_single(line, found.at) : end_of_escaped(line, found.at, found.depth);
}

std::size_t end_of_doubled(std::string_view line, std::size_t at) {
  for (at = line.find('"', at); at != std::string_view::npos; at = line.find('"', at + 2))
    if (line.substr(at, 2) != R"("")") return at;
  return std::string_view::npos;
}

// Behind the last quote of the line.
std::size_t end_of_raw(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t,]})");
  return last != std::string_view::npos && line[last] == '"' ? last : line.size();
}

// The place of the last character that may belong to it.
std::size_t end_of_quotation(std::string_view line, const Enclosed& found) {
  std::size_t end = line.size();
  if (found.quoting == Quoting::kEscaped) end = end_of_escaped(line, found);
  if (found.quoting == Quoting::kDoubled) end = end_of_doubled(line, found.at);
  return std::min(end, line.size());
}

void undouble(std::string_view text, std::string& out) {
  out.clear();
  while (!text.empty()) {
    const std::size_t quote = std::min(text.find(R"("")"), text.size());
    out.append(text.substr(0, quote));
    if (quote < text.size()) out += '"';
    text.remove_prefix(std::min(quote + 2, text.size()));
  }
}

void unescape(std::string_view text, unsigned depth, std::string& out) {
  out.assign(text);
  for (unsigned level = 0; level <= depth; ++level) {
    std::string inner;
    const flow::KlogPair pair{.key = {}, .kind = flow::KlogPair::Kind::kString, .value = out};
    if (const std::string_view undone = flow::klog_text(pair, inner); undone.data() != inner.data()) return;
    out = std::move(inner);
  }
}

std::string_view without_newlines(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::size_t end_of_object(std::string_view line, std::size_t at) {
  for (std::size_t depth = 0; at < line.size(); ++at) {
    if (line[at] == '"') {
      const std::size_t end = flow::end_of_quoted(line, at + 1);
      if (end == std::string_view::npos) break;
      at = end - 1;
    } else if (line[at] == '{') {
      ++depth;
    } else if (line[at] == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

bool is_of_block_in_quotes(std::string_view string) {
  const bool blank = string.starts_with(' ');
  std::string_view rest = string.substr(blank ? 1 : 0);
  rest.remove_prefix(std::min(rest.find_first_not_of('\\'), rest.size()));
  if (blank) return string.starts_with(" >") || rest.starts_with("u003e");
  const bool escaped = rest.size() < string.size();
  return string.starts_with('\t') || (escaped && (rest.starts_with('t') || rest.starts_with("u0009")));
}

std::optional<Enclosed> find_record(std::string_view line, std::size_t from) {
  for (std::size_t at = from; at < line.size(); ++at) {
    const char c = line[at];
    if (!kBeginsOne[static_cast<unsigned char>(c)]) continue;
    if (c != '{' && at > 0 && is_alphanumeric(line[at - 1]) && !is_behind_escape(line, at) &&
        !is_behind_clock(line, at))
      continue;
    const auto found = c == '{' ? json_at(line, from, at) : text_at(line, from, at);
    if (!found) continue;
    if (found->behind != PrefixKind::kProse) return found;
    // What is quoted may have what looks like a record, too.
    at = end_of_quotation(line, *found);
  }
  return std::nullopt;
}

Opened open_text(std::string_view line, const Enclosed& enclosed, std::string& buffer) {
  const std::size_t at = enclosed.at;
  std::size_t end = line.size();
  switch (enclosed.quoting) {
    case Quoting::kNone: {
      const char before = at > 0 ? line[at - 1] : ' ';
      if (before == '\'') {
        end = at + end_of_single_quoted(line.substr(at));
        const std::string_view text = single_quoted(line.substr(at, end - at), buffer);
        return {.text = without_newlines(text),
                .end = std::min(end + 1, line.size()),
                .closed = end < line.size()};
      }
      if (enclosed.form == KlogForm::kJson && at > 0) {
        const std::size_t behind = end_of_object(line, at);
        end = std::min(behind, line.size());
        return {.text = line.substr(at, end - at), .end = end, .closed = behind != std::string_view::npos};
      }
      if (before == '`') end = line.find_last_not_of(before) + 1;
      return {.text = without_newlines(line.substr(at, end - at)),
              .end = line.size(),
              .closed = end < line.size()};
    }
    case Quoting::kRaw:
      end = end_of_raw(line.substr(at)) + at;
      return {.text = line.substr(at, end - at), .end = line.size()};
    case Quoting::kEscaped: {
      const std::size_t quote = end_of_escaped(line, enclosed);
      end = std::min(quote, line.size());
      unescape(line.substr(at, end - at), enclosed.depth, buffer);
      if (buffer.contains('\x1b')) {
        std::string clean;
        (void)without_colours(buffer, clean);
        buffer = std::move(clean);
      }
      return {.text = without_newlines(buffer),
              .end = std::min(end + 1, line.size()),
              .closed = quote != std::string_view::npos};
    }
    case Quoting::kDoubled: {
      const std::size_t quote = end_of_doubled(line, at);
      end = std::min(quote, line.size());
      undouble(line.substr(at, end - at), buffer);
      return {.text = without_newlines(buffer),
              .end = std::min(end + 1, line.size()),
              .closed = quote != std::string_view::npos};
    }
  }
  return {};
}

}  // namespace flowtap::cli
