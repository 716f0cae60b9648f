#include "yaml_object.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kDeepest = 16;
constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::string_view kListMark = "- ";

/// The lines, and the next one that is to be read.
struct YamlLines {
  std::span<const std::string> all;
  std::size_t next = 0;

  [[nodiscard]] bool any() const { return next < all.size(); }
  [[nodiscard]] std::string_view line() const { return all[next]; }
};

struct YamlKey {
  std::size_t indent = 0;
  std::string_view name;
  std::string_view rest;
};

std::optional<YamlKey> key_in(std::string_view line, bool is_first) {
  line = line.substr(0, line.find_last_not_of('\r') + 1);  // npos + 1 is 0
  auto indent = indent_of(line);
  if (!indent) return std::nullopt;
  if (is_first && line.substr(*indent).starts_with(kListMark)) *indent += kListMark.size();
  const std::string_view text = line.substr(*indent);
  const std::size_t colon = text.find(':');
  const auto of_name = [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '/' || c == '-' || c == '_';
  };
  if (colon == kNowhere || colon == 0 || !std::ranges::all_of(text.substr(0, colon), of_name))
    return std::nullopt;
  if (colon + 1 < text.size() && text[colon + 1] != ' ') return std::nullopt;
  return YamlKey{
      .indent = *indent, .name = text.substr(0, colon), .rest = trimmed(text.substr(colon + 1), " \r")};
}

// Where the quote stands that ends the string; npos: it has not come.
std::size_t closing_quote(std::string_view text, char quote, std::size_t from = 1) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || text.substr(at + 1, 1) != "'") return at;
      ++at;
    }
  }
  return kNowhere;
}

std::string unquoted(std::string_view text) {
  const std::size_t end = closing_quote(text, text.front());
  if (text.front() == '"') {
    json::error_code error;
    const json::value value = json::parse(json_view(text.substr(0, std::min(end, text.size()) + 1)), error);
    return !error && value.is_string() ? std::string(std::string_view(value.get_string())) : std::string();
  }
  std::string out(text.substr(1, end == kNowhere ? end : end - 1));
  for (std::size_t at = 0; (at = out.find("''", at)) != std::string::npos; ++at) out.erase(at, 1);
  return out;
}

// A line that ends with a backslash goes on without a blank, and so does one that begins with one.
void fold(std::string& text, std::string_view more) {
  const bool marked = text.starts_with('"') && text.ends_with('\\');
  if (marked) text.pop_back();
  if (marked && more.starts_with('\\')) more.remove_prefix(1);
  text.append(marked ? "" : " ").append(more);
}

// "message: |" has its text below; ">" makes one line of it.
std::string block_of(YamlLines& lines, std::size_t indent, char between) {
  std::string out;
  for (; lines.any(); ++lines.next) {
    const auto own = indent_of(lines.line());
    if (own && *own <= indent) break;
    const std::string_view text = own ? trimmed(lines.line(), " \r") : std::string_view();
    if (!out.empty()) out += between;
    out += text;
  }
  return std::string(trimmed(out, " \n"));
}

std::string string_of(YamlLines& lines, const YamlKey& key) {
  if (key.rest.starts_with('|')) return block_of(lines, key.indent, '\n');
  if (key.rest.starts_with('>')) return block_of(lines, key.indent, ' ');
  std::string text(key.rest);
  const char quote = text.front();
  const bool quoted = quote == '\'' || quote == '"';
  bool closed = quoted && closing_quote(text, quote) != kNowhere;
  for (; lines.any() && !closed; ++lines.next) {
    const auto indent = indent_of(lines.line());
    if (!indent || *indent <= key.indent) break;
    const std::size_t from = text.size();
    fold(text, trimmed(lines.line(), " \r"));
    closed = quoted && closing_quote(text, quote, from) != kNowhere;
  }
  return quoted ? unquoted(text) : text;
}

json::object map_of(YamlLines& lines, std::size_t deep) {
  json::object out;
  std::optional<std::size_t> column;
  while (lines.any()) {
    const auto key = key_in(lines.line(), !column.has_value());
    const auto indent = indent_of(lines.line());
    if (column && indent && *indent < *column) break;
    if (key && !column) column = key->indent;
    ++lines.next;
    if (!key || key->indent != *column) continue;  // of a list
    if (!key->rest.empty()) {
      out[json_view(key->name)] = string_of(lines, *key);
    } else if (lines.any() && deep < kDeepest) {
      const auto below = key_in(lines.line(), false);
      if (below && below->indent > *column) out[json_view(key->name)] = map_of(lines, deep + 1);
    }
  }
  return out;
}

}  // namespace

std::optional<std::size_t> indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == kNowhere || line[at] == '\r' ? std::nullopt : std::optional(at);
}

bool is_yaml_key(std::string_view line) {
  return key_in(line, false).has_value();
}

json::object yaml_object(std::span<const std::string> lines) {
  YamlLines all{.all = lines};
  return map_of(all, 0);
}

}  // namespace flowtap::cli
