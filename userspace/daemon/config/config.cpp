#include "daemon/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "daemon/config/config_keys.hpp"
#include "daemon/config/yaml.hpp"

namespace flowtap {
namespace {

constexpr std::string_view kSampleHint = "flowtapd --print-config shows all keys with their defaults";

/// Walks the tree of one file and fills one Config; stops at the first error.
class Reader {
 public:
  Reader(std::string_view name, Config& config) : name_(printable(name)), config_(config) {}

  Status read_section(std::string_view section, const YamlNode& node) {
    for (const auto& [word, value] : node.map) {
      const std::string path = section.empty() ? word : fmt::format("{}.{}", section, word);
      const Key* key = find_config_key(path);
      if (key == nullptr || word.contains('.')) return unknown(section, word, value.line);
      FTAP_TRY(key->field ? read_value(*key, value) : read_subsection(*key, value));
    }
    return {};
  }

 private:
  [[nodiscard]] std::string at(int line) const { return fmt::format("{}:{}", name_, line); }

  Status read_subsection(const Key& key, const YamlNode& node) {
    if (node.type == YamlNode::Type::kMap) return read_section(key.path, node);
    if (node.type == YamlNode::Type::kNothing) return {};  // all its keys are commented out
    const std::string given = node.type == YamlNode::Type::kScalar ? in_quotes(node.scalar) : "a list";
    return fail(fmt::format("{}: {}: {} stands where a section is expected; accepted: {}", at(node.line),
                            key.path, given, words_of(key.path)),
                std::string(kSampleHint));
  }

  /// Replaces the list. A key without a value is an empty list, as all its members may be commented out.
  Status read_list(const Key& key, const ListField& field, const YamlNode& node) {
    field.in(config_).clear();
    for (const YamlNode& member : node.list) {
      std::string why = "a list or section stands where a member is expected";
      if (member.type == YamlNode::Type::kNothing) why = "a member has no value";
      if (member.type == YamlNode::Type::kScalar) {
        const auto refused = add(field, config_, member.scalar);
        if (!refused) continue;
        why = fmt::format("{} {}", in_quotes(member.scalar), *refused);
      }
      return fail(
          fmt::format("{}: {}: {}; accepted: {}", at(member.line), key.path, why, accepted(*key.field)),
          std::string(kSampleHint));
    }
    return {};
  }

  /// Replaces the rules, like read_list().
  Status read_rules(const Key& key, const RulesField& field, const YamlNode& node) {
    field.in(config_).clear();
    const auto refuse = [&](int line, std::string_view why) {
      return fail(fmt::format("{}: {}: {}", at(line), key.path, why), std::string(kSampleHint));
    };
    const std::string wanted = "; accepted: " + accepted(*key.field);
    for (const YamlNode& member : node.list) {
      if (member.type != YamlNode::Type::kMap)
        return refuse(member.line, "a rule is a section with a pod and a group" + wanted);
      flow::GroupRule rule;
      for (const auto& [word, value] : member.map) {
        const auto known = std::ranges::find(rule_members(), word, &RuleMember::name);
        if (known == rule_members().end())
          return refuse(value.line, "a rule has no " + in_quotes(word) + wanted);
        if (value.type != YamlNode::Type::kScalar || value.scalar.empty())
          return refuse(value.line, fmt::format("{} has no value{}", word, wanted));
        rule.*known->text = value.scalar;
      }
      for (const RuleMember& needed : rule_members())
        if (!needed.optional && (rule.*needed.text).empty())
          return refuse(member.line, fmt::format("a rule has no {}{}", needed.name, wanted));
      if (const auto why = add(field, config_, rule)) return refuse(member.line, *why);
    }
    return {};
  }

  Status read_value(const Key& key, const YamlNode& node) {
    const bool is_listed = node.type == YamlNode::Type::kList || node.type == YamlNode::Type::kNothing;
    if (const auto* rules = std::get_if<RulesField>(&*key.field); rules != nullptr && is_listed)
      return read_rules(key, *rules, node);
    const auto* list = std::get_if<ListField>(&*key.field);
    if (list != nullptr && is_listed) return read_list(key, *list, node);
    std::string why;
    switch (node.type) {
      case YamlNode::Type::kNothing:
        why = "has no value";
        break;
      case YamlNode::Type::kMap:
        why = fmt::format("a section is not {}", noun(*key.field));
        break;
      case YamlNode::Type::kList:
        why = fmt::format("a list is not {}", noun(*key.field));
        break;
      case YamlNode::Type::kScalar:
        if (const auto refused = set(*key.field, config_, node.scalar))
          why = fmt::format("{} {}", in_quotes(node.scalar), *refused);
    }
    if (why.empty()) return {};
    return fail(fmt::format("{}: {}: {}; accepted: {}", at(node.line), key.path, why, accepted(*key.field)),
                std::string(kSampleHint));
  }

  [[nodiscard]] std::unexpected<Error> unknown(std::string_view section, const std::string& word,
                                               int line) const {
    const std::string path = section.empty() ? word : fmt::format("{}.{}", section, word);
    std::string what = fmt::format("{}: unknown key {}", at(line), in_quotes(path));
    if (find_config_key(path) != nullptr) {
      what += fmt::format("; write {} in a section \"{}:\"", in_quotes(fmt::format("{}:", leaf_name(path))),
                          path.substr(0, path.rfind('.')));
    } else if (const auto near = nearest_config_key(path); !near.empty()) {
      what += fmt::format("; did you mean \"{}\"?", near);
    } else {
      what +=
          fmt::format("; accepted {}: {}", section.empty() ? "at the top level" : "here", words_of(section));
    }
    return fail(std::move(what), std::string(kSampleHint));
  }

  /// The keys of a section, for people: "enabled, address".
  [[nodiscard]] static std::string words_of(std::string_view section) {
    std::string words;
    for (const Key& key : config_keys()) {
      const auto dot = key.path.rfind('.');
      const std::string_view parent =
          dot == std::string_view::npos ? std::string_view{} : key.path.substr(0, dot);
      if (parent == section) words += (words.empty() ? "" : ", ") + std::string(leaf_name(key.path));
    }
    return words;
  }

  std::string name_;
  Config& config_;
};

/// The value of a key that the file gives, or nothing.
const YamlNode* given(const YamlNode& root, std::string_view section, std::string_view word) {
  for (const auto& [name, keys] : root.map) {
    if (name != section) continue;
    const auto found = std::ranges::find(keys.map, word, &YamlEntry::key);
    return found != keys.map.end() ? &found->value : nullptr;
  }
  return nullptr;
}

/// Checks two keys against each other. What is auto fits.
Status check_sizes(const Config& config, const YamlNode& root, std::string_view name) {
  const std::uint64_t most = max_journal_bytes(config.stream.lines.flows_bytes);
  if (config.stream.lines.flows_bytes == kAutoSize) return {};
  if (config.stream.lines.journal_bytes <= most) return {};
  const YamlNode* at = given(root, "stream", "journal_bytes");
  if (at == nullptr) at = given(root, "stream", "flows_bytes");
  return fail(
      fmt::format("{}:{}: stream.journal_bytes: \"{}\" is more than three quarters of stream.flows_bytes, "
                  "\"{}\"; accepted: at most {}",
                  printable(name), at != nullptr ? at->line : root.line, config.stream.lines.journal_bytes,
                  config.stream.lines.flows_bytes, most),
      std::string(kSampleHint));
}

}  // namespace

Result<Config> parse_config(std::string_view yaml, std::string_view name) {
  FTAP_TRY_ASSIGN(root, read_yaml(yaml, name, {.bytes = kMaxConfigBytes}));
  Config config;
  if (root.type == YamlNode::Type::kNothing) return config;
  if (root.type != YamlNode::Type::kMap)
    return fail(fmt::format("{}:{}: not a configuration; accepted: lines of the form \"key: value\"",
                            printable(name), root.line),
                std::string(kSampleHint));
  FTAP_TRY(Reader(name, config).read_section("", root));
  FTAP_TRY(check_sizes(config, root, name));
  return config;
}

Result<Config> load_config(const std::string& path) {
  auto text = read_file(path, kMaxConfigBytes);
  if (!text) {
    Error error = std::move(text).error();
    if (error.code == ENOENT) error.hint = "flowtapd --print-config > FILE writes one with all defaults";
    if (error.code == EACCES) error.hint = "run flowtapd as root, or let it read that file";
    if (error.code == EISDIR) error.hint = "name a file in that directory";
    return std::unexpected(std::move(error));
  }
  return parse_config(*text, path);
}

Status set_config_value(Config& config, std::string_view key, std::string_view value,
                        std::string_view given_as) {
  const Key* found = find_config_key(key);
  if (found == nullptr || !found->field)
    return fail(fmt::format("{}: unknown key {}", given_as, in_quotes(key)));
  if (const auto refused = set(*found->field, config, value))
    return fail(
        fmt::format("{}: {} {}; accepted: {}", given_as, in_quotes(value), *refused, accepted(*found->field)),
        std::string(kSampleHint));
  return {};
}

std::string describe_config_key(std::string_view key) {
  const Key* found = find_config_key(key);
  if (found == nullptr || !found->field) return {};
  return fmt::format("{}\nAccepted: {}", found->comment, accepted(*found->field));
}

}  // namespace flowtap
