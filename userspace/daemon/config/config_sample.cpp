// Config → commented YAML, from the same table that reads it.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "daemon/config/config.hpp"
#include "daemon/config/config_keys.hpp"

namespace flowtap {
namespace {

constexpr std::string_view kHeader =
    "# Configuration of flowtapd. A key that is left out has the value shown here. Flags override the file.\n"
    "# flowtapd --check-config --config FILE tells whether a file is right; SIGHUP reads it again.\n";

/// Plain if no YAML reader could take it for something else, in double quotes otherwise. The values were checked when
/// they were read and contain no control characters.
std::string scalar(std::string_view text) {
  const auto plain = [](char c) {
    return is_alphanumeric(c) || c == '/' || c == '.' || c == '_' || c == '-';
  };
  const bool starts_plain = !text.empty() && text.front() != '-' && text.front() != '.';
  const bool number_like = !text.empty() && is_digit(text.front()) && text.contains('_');
  if (starts_plain && !number_like && std::ranges::all_of(text, plain) && text != "null" && text != "Null" &&
      text != "NULL")
    return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// In one line: "[a, b]".
std::string list(const std::vector<std::string>& members) {
  std::string out;
  for (const std::string& member : members) out += (out.empty() ? "" : ", ") + scalar(member);
  return '[' + out + ']';
}

/// In one line: "[{pod: a, group: b}]".
std::string rules(const std::vector<flow::GroupRule>& rules) {
  std::string out;
  for (const flow::GroupRule& rule : rules) {
    std::string members;
    for (const RuleMember& member : rule_members())
      if (const std::string& text = rule.*member.text; !text.empty())
        members += fmt::format("{}{}: {}", members.empty() ? "" : ", ", member.name, scalar(text));
    out += (out.empty() ? "{" : ", {") + members + '}';
  }
  return '[' + out + ']';
}

std::string value(const Field& field, const Config& config) {
  if (const auto* members = std::get_if<RulesField>(&field)) {
    Config copy = config;
    return rules(members->in(copy));
  }
  if (const auto* members = std::get_if<ListField>(&field)) {
    Config copy = config;
    return list(members->in(copy));
  }
  return scalar(text(field, config));
}

void append_comment(std::string& out, const Key& key, std::string_view indent) {
  out += fmt::format("{}# {}\n", indent, key.comment);
  if (key.field) out += fmt::format("{}# Accepted: {}\n", indent, accepted(*key.field));
}

}  // namespace

std::string render_config(const Config& config) {
  std::string out(kHeader);
  for (const Key& key : config_keys()) {
    const std::string_view indent = key.path.contains('.') ? "  " : "";
    if (indent.empty()) out += '\n';
    append_comment(out, key, indent);
    out += fmt::format("{}{}:", indent, leaf_name(key.path));
    if (key.field) out += " " + value(*key.field, config);
    out += '\n';
  }
  return out;
}

}  // namespace flowtap
