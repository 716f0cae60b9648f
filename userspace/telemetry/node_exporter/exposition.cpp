#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/textfile.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

using stats::compat::LabelPairs;
using stats::compat::Page;
using stats::compat::PageKind;

struct Described {
  PageKind kind = PageKind::kUntyped;
  std::string help;
};
using AllDescribed = std::map<std::string, Described, std::less<>>;

bool is_name(std::string_view name, bool colons) {
  if (name.empty() || is_digit(name.front())) return false;
  return std::ranges::all_of(
      name, [colons](char c) { return is_alphanumeric(c) || c == '_' || (colons && c == ':'); });
}

// Takes the longest beginning that may be a name.
std::string_view take_name(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && (is_alphanumeric(rest[end]) || rest[end] == '_' || rest[end] == ':')) ++end;
  const std::string_view name = rest.substr(0, end);
  rest.remove_prefix(end);
  return name;
}

void skip_space(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
}

// "+Inf", "NaN" and 1e3 as well.
std::optional<double> value_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), value);
  return ec == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// What stands between quotes. The first quote was taken already.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string text;
  while (!rest.empty()) {
    char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"') return text;
    if (c == '\\') {
      if (rest.empty()) return std::nullopt;
      c = rest.front() == 'n' ? '\n' : rest.front();
      if (c != '\n' && c != '"' && c != '\\') return std::nullopt;
      rest.remove_prefix(1);
    }
    text += c;
  }
  return std::nullopt;
}

// "{a="x",b="y"}", of which the brace was taken.
std::optional<LabelPairs> take_labels(std::string_view& rest) {
  constexpr std::size_t kMostLabels = 64;
  LabelPairs labels;
  while (true) {
    skip_space(rest);
    if (rest.starts_with('}')) break;
    const std::string_view key = take_name(rest);
    skip_space(rest);
    if (!is_name(key, false) || key.starts_with("__") || !rest.starts_with('=')) return std::nullopt;
    rest.remove_prefix(1);
    skip_space(rest);
    if (!rest.starts_with('"')) return std::nullopt;
    rest.remove_prefix(1);
    auto value = take_quoted(rest);
    if (!value || labels.size() == kMostLabels) return std::nullopt;
    labels.emplace_back(key, std::move(*value));
    skip_space(rest);
    if (rest.starts_with(','))
      rest.remove_prefix(1);
    else if (!rest.starts_with('}'))
      return std::nullopt;
  }
  rest.remove_prefix(1);
  // In one order, so that the same series is not taken for another.
  std::ranges::sort(labels);
  const auto twice = std::ranges::adjacent_find(labels, {}, &LabelPairs::value_type::first);
  return twice == labels.end() ? std::optional(std::move(labels)) : std::nullopt;
}

bool take_comment(std::string_view line, AllDescribed& described) {
  line.remove_prefix(1);
  const std::string_view what = next_word(line);
  if (what != "HELP" && what != "TYPE") return true;
  const std::string_view name = next_word(line);
  if (!is_name(name, true)) return false;
  skip_space(line);
  Described& family = described[std::string(name)];
  if (what == "HELP")
    family.help = line;
  else if (trimmed(line) == "counter")
    family.kind = PageKind::kCounter;
  else if (trimmed(line) == "gauge")
    family.kind = PageKind::kGauge;
  return true;
}

bool take_sample(std::string_view line, std::string_view file, const AllDescribed& described, Page& out) {
  const std::string_view name = take_name(line);
  if (!is_name(name, true)) return false;
  skip_space(line);
  std::optional<LabelPairs> labels = LabelPairs();
  if (line.starts_with('{')) {
    line.remove_prefix(1);
    labels = take_labels(line);
  }
  if (!labels) return false;
  const auto value = value_of(next_word(line));
  if (!value || !next_word(line).empty()) return false;  // a time stamp would follow
  const auto at = described.find(name);
  const Described family = at == described.end() ? Described() : at->second;
  return out.add(name, family.kind,
                 family.help.empty() ? "Read from " + std::string(file) + '.' : family.help,
                 std::move(*labels), *value);
}

}  // namespace

bool parse_exposition(std::string_view text, std::string_view file, Page& out) {
  AllDescribed described;
  while (!text.empty()) {
    std::string_view line = trimmed(next_line(text), " \t\r");
    if (line.empty()) continue;
    const bool good =
        line.starts_with('#') ? take_comment(line, described) : take_sample(line, file, described, out);
    if (!good) return false;
  }
  return true;
}

}  // namespace flowtap::telemetry::node_exporter
