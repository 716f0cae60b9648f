// The types of configuration values: what each accepts, in words for people and as code.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/config/config.hpp"

namespace flowtap {

/// A type of text with a rule. `accepts` is never given control characters or more than kMaxTextBytes.
struct TextRule {
  std::string_view noun;      ///< "an address", as in "is not an address"
  std::string_view accepted;  ///< "HOST:PORT, such as ..."
  bool (*accepts)(std::string_view);
};
inline constexpr std::size_t kMaxTextBytes = 4096;

extern const TextRule kStateDirRule;
extern const TextRule kDirectoryRule;
extern const TextRule kOptionalPathRule;
extern const TextRule kTapBackendRule;
extern const TextRule kHierarchyRule;
extern const TextRule kSchedulerNameRule;
extern const TextRule kListenRule;
extern const TextRule kOptionalListenRule;
extern const TextRule kExportersRule;
extern const TextRule kKubernetesRule;
extern const TextRule kReceiverRule;
extern const TextRule kOutputRule;
extern const TextRule kPrefixRule;
extern const TextRule kGroupRule;
extern const TextRule kUnitRule;
extern const TextRule kSchedulerRule;
extern const TextRule kLogKeyRule;
extern const TextRule kMainLogRule;
extern const TextRule kExecutableRule;
extern const TextRule kLogFileRule;

/// Where a key's value lives in Config, with the bounds of its type.
struct BoolField {
  bool& (*in)(Config&);
};
struct DurationField {
  std::chrono::milliseconds& (*in)(Config&);
  std::chrono::milliseconds min;
  std::chrono::milliseconds max;
};
struct CountField {
  std::uint64_t& (*in)(Config&);
  std::uint64_t min;
  std::uint64_t max;
};
/// A count of bytes that may also be auto, which is kAutoSize.
struct SizeField {
  std::uint64_t& (*in)(Config&);
  std::uint64_t min;
  std::uint64_t max;
};
struct LevelField {
  LogLevel& (*in)(Config&);
};
struct TextField {
  std::string& (*in)(Config&);
  const TextRule& rule;
};
/// A list of texts under one rule, no two of them the same. Flags cannot set it.
struct ListField {
  std::vector<std::string>& (*in)(Config&);
  const TextRule& rule;
  std::size_t most;  ///< members
};
/// A list of sections, each a rule. Flags cannot set it.
struct RulesField {
  std::vector<flow::GroupRule>& (*in)(Config&);
  std::size_t most;  ///< members
};
using Field = std::variant<BoolField, DurationField, CountField, SizeField, LevelField, TextField, ListField,
                           RulesField>;

/// The members of a rule as they are called in the file.
struct RuleMember {
  std::string_view name;
  std::string flow::GroupRule::* text;
  bool optional;
};
[[nodiscard]] std::span<const RuleMember> rule_members();

/// "a duration": the noun for "is not ...".
[[nodiscard]] std::string_view noun(const Field& field);
/// "1ms to 1h, such as 500ms or 2s".
[[nodiscard]] std::string accepted(const Field& field);
/// Reads `text` into the config. If that fails, nothing is changed, and the answer says why: "is not a duration".
[[nodiscard]] std::optional<std::string> set(const Field& field, Config& config, std::string_view text);
/// Adds one member to a list; refuses like set().
[[nodiscard]] std::optional<std::string> add(const ListField& field, Config& config, std::string_view text);
/// Adds one rule; refuses with the member that is wrong and what is accepted for it: "group: \"\" is ...; accepted: ...".
[[nodiscard]] std::optional<std::string> add(const RulesField& field, Config& config,
                                             const flow::GroupRule& rule);
/// The value as set() reads it; nothing for a list, which has no such text.
[[nodiscard]] std::string text(const Field& field, const Config& config);

}  // namespace flowtap
