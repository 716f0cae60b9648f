#include "stream/lines/klog/klog_pairs.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
using Kind = KlogPair::Kind;
constexpr std::string_view kGoMap = "map[";  // old klog's %+v, where no string has quotes

// The characters that matter within nested JSON.
constexpr auto kMarks = [] {
  std::array<bool, 256> marks{};
  for (const char c : {'"', '{', '}', '[', ']'}) marks[static_cast<unsigned char>(c)] = true;
  return marks;
}();

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) ++at;
  return at;
}

// The place behind a block's " >" that stands at the start of a line; npos: it has not come. `at` is the first line's start.
std::size_t end_of_block(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text.substr(at, 2) == " >") return at + 2;
    const std::size_t newline = text.find('\n', at);
    if (newline == kNone) return kNone;
    at = newline + 1;
  }
  return kNone;
}

bool ends_value(std::string_view line, std::size_t at) {
  return at == line.size() || line[at] == ' ';
}

// What stands right behind the last value's quote is not klog's: a collector's comma or a table's border.
bool is_frame(std::string_view rest) {
  const std::size_t first = rest.find_first_not_of(' ');
  return first == kNone || (!is_alphanumeric(rest[first]) && !rest.contains('"'));
}

// " key="
bool begins_pair(std::string_view line, std::size_t at) {
  const std::size_t sign = line[at] == ' ' ? find_any<' ', '=', '"'>(line, at + 1) : kNone;
  return sign != kNone && sign > at + 1 && line[sign] == '=';
}

// The place behind the quote that ends the value whose text begins at `at`. A quote right behind it stands around the whole line.
// Text that has lost its backslashes on its way has quotes within: it ends where a pair or nothing follows. npos: it is cut, or,
// if more of the line may come, its end is not certain yet.
std::size_t end_of_value(std::string_view line, std::size_t at, bool open) {
  const std::size_t first = end_of_quoted(line, at);
  for (std::size_t end = first; end != kNone; end = end_of_quoted(line, end)) {
    if (end == line.size()) return open ? kNone : end;
    const bool ends = end == first ? line[end] == ' ' || line[end] == '"' : begins_pair(line, end);
    if (ends || (!open && is_frame(line.substr(end)))) return end;
  }
  return kNone;
}

// The same for a member's string.
std::size_t end_of_string(std::string_view line, std::size_t at, bool open) {
  const std::size_t first = end_of_quoted(line, at);
  for (std::size_t end = first; end != kNone; end = end_of_quoted(line, end)) {
    std::size_t next = skip_space(line, end);
    if (next == line.size()) return open ? kNone : end;
    if (line[next] == '}' || (end == first && (line[next] == ',' || line[next] == ']'))) return end;
    if (line[next] != ',') continue;
    next = skip_space(line, next + 1);
    if (next == line.size() ? !open : line[next] == '"') return end;
  }
  return kNone;
}

// Only what is behind a value tells whether it is one.
bool may_go_on(std::string_view line, std::size_t at) {
  return at == kNone || at == line.size();
}

// "-12.5e+06", as Go's encoding/json and strconv write numbers.
bool is_json_number(std::string_view word) {
  std::size_t at = word.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < word.size() && is_digit(word[at])) ++at;
    return at > from;
  };
  if (!digits()) return false;
  if (at < word.size() && word[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == word.size();
}

bool is_json_word(std::string_view word) {
  return word == "true" || word == "false" || word == "null" || is_json_number(word);
}

}  // namespace

std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const std::size_t start = at;
  while (true) {
    at = text.find('"', at);
    if (at == kNone) return kNone;
    std::size_t slashes = at;
    while (slashes > start && text[slashes - 1] == '\\') --slashes;
    ++at;
    if ((at - 1 - slashes) % 2 == 0) return at;
  }
}

bool KlogPairs::stop(bool cut) {
  stopped_ = true;
  cut_ = cut;
  return false;
}

bool KlogPairs::give(KlogPair& pair, Kind kind, std::size_t begin, std::size_t end, std::size_t next) {
  pair.kind = kind;
  pair.value = body_.substr(begin, end - begin);
  at_ = next;
  return true;
}

// The body up to the end of the line that at_ is in: only a block's value goes on in the next line.
std::string_view KlogPairs::line() {
  if (line_end_ <= at_) {
    const std::size_t newline = body_.find('\n', at_);
    line_end_ = newline == kNone ? body_.size() : newline;
  }
  return body_.substr(0, line_end_);
}

// The place behind the bracket that closes the one at `at`; strings are skipped. npos: it has not come. Then no later bracket is
// looked at either, since a line of "a={ a={ a={" would be read once for each.
std::size_t KlogPairs::end_of_nested(std::string_view line, std::size_t at) {
  for (std::size_t depth = 0; !unbalanced_;) {
    while (at < line.size() && !kMarks[static_cast<unsigned char>(line[at])]) ++at;
    if (at == line.size()) break;
    if (line[at] == '"') {
      at = end_of_quoted(line, at + 1);
      if (at == kNone) break;
      continue;
    }
    const bool opens = line[at] == '{' || line[at] == '[';
    depth = opens ? depth + 1 : depth - 1;
    ++at;
    if (depth == 0) return at;
  }
  unbalanced_ = true;
  return kNone;
}

bool KlogPairs::next_text(KlogPair& pair) {
  const std::string_view line = this->line();
  const bool open = line_open_ && line.size() == body_.size();
  if (at_ >= line.size()) return stop(open);
  if (line[at_] != ' ') return stop(false);  // raw lines behind the pairs
  const std::size_t key = at_ + 1;
  const std::size_t equals = line.find('=', key);
  if (equals == kNone) return stop(open);
  pair.key = line.substr(key, equals - key);
  const std::size_t value = equals + 1;
  const char first = value < line.size() ? line[value] : '\0';

  if (first == '"') {
    const std::size_t end = end_of_value(line, value + 1, open);
    if (end != kNone) return give(pair, Kind::kQuoted, value + 1, end - 1, end);
    return open ? stop(true) : give(pair, Kind::kCut, value + 1, line.size(), line.size());
  }
  // Some terminals fill a line with blanks.
  if (first == '<' && line.find_first_not_of(' ', value + 1) == kNone) {
    const std::size_t lines = line.size() + 1;
    const std::size_t end = end_of_block(body_, lines);
    return end == kNone ? stop(true) : give(pair, Kind::kBlock, lines, end - 2, end);
  } else if (first == '{' || first == '[') {
    const std::size_t end = end_of_nested(line, value);
    if (open && may_go_on(line, end)) return stop(true);
    const bool ends = end != kNone && (ends_value(line, end) || (!open && is_frame(line.substr(end))));
    if (ends) return give(pair, Kind::kJson, value, end, end);
  } else if (const std::string_view rest = line.substr(std::min(value, line.size()));
             rest.starts_with(kGoMap)) {
    const std::size_t end = end_of_nested(line, value + kGoMap.size() - 1);
    if (open && may_go_on(line, end)) return stop(true);
    if (end != kNone && ends_value(line, end)) return give(pair, Kind::kUnquoted, value, end, end);
  }

  std::size_t end = line.find(' ', value);
  if (end == kNone && open) return stop(true);
  if (end == kNone) end = line.size();
  const Kind kind = is_json_word(line.substr(value, end - value)) ? Kind::kJson : Kind::kUnquoted;
  return give(pair, kind, value, end, end);
}

bool KlogPairs::next_member(KlogPair& pair) {
  const std::string_view line = this->line();
  const bool open = line_open_ && line.size() == body_.size();
  std::size_t at = skip_space(line, at_);
  if (at < line.size() && (line[at] == '{' || line[at] == ',')) at = skip_space(line, at + 1);
  if (at >= line.size()) return stop(open);
  if (line[at] != '"') return stop(false);  // the object's end, or nonsense
  const std::size_t key = at + 1;
  const std::size_t key_end = end_of_quoted(line, key);
  if (key_end == kNone) return stop(open);
  pair.key = line.substr(key, key_end - 1 - key);
  at = skip_space(line, key_end);
  if (at >= line.size()) return stop(open);
  if (line[at] != ':') return stop(false);
  at = skip_space(line, at + 1);
  if (at >= line.size()) return stop(open);

  if (line[at] == '"') {
    const std::size_t end = end_of_string(line, at + 1, open);
    if (end != kNone) return give(pair, Kind::kString, at + 1, end - 1, end);
    return open ? stop(true) : give(pair, Kind::kCut, at + 1, line.size(), line.size());
  }
  const bool nested = line[at] == '{' || line[at] == '[';
  const std::size_t end =
      nested ? end_of_nested(line, at) : find_any<',', '}', ']', ' ', '\t', '\r'>(line, at);
  if (end == kNone) return stop(open);
  return end == at ? stop(false) : give(pair, Kind::kJson, at, end, end);
}

}  // namespace flowtap::flow
