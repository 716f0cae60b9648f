#include "daemon/config/config_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/printable.hpp"
#include "base/time/duration.hpp"

namespace flowtap {
namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

constexpr std::string_view kAuto = "auto";

struct LevelName {
  std::string_view name;
  LogLevel level;
};
constexpr std::array kLevels = {LevelName{"error", LogLevel::kError}, LevelName{"warn", LogLevel::kWarn},
                                LevelName{"info", LogLevel::kInfo}, LevelName{"debug", LogLevel::kDebug}};

/// Wrong type and wrong size are told apart: "90s" where one minute is the limit is a duration, but not in
/// range.
template <typename T>
std::optional<std::string> set_in_range(std::optional<T> value, T min, T max, T& target,
                                        std::string_view noun) {
  if (!value) return fmt::format("is not {}", noun);
  if (*value < min || *value > max) return "is out of range";
  target = *value;
  return std::nullopt;
}

/// Parts of a millisecond cannot be kept.
std::optional<std::chrono::milliseconds> parse_milliseconds(std::string_view text) {
  const auto exact = parse_duration(text);
  if (!exact) return std::nullopt;
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(*exact);
  return whole == *exact ? std::optional(whole) : std::nullopt;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> set_bool(bool& target, std::string_view text) {
  if (text != "true" && text != "false") return "is neither true nor false";
  target = text == "true";
  return std::nullopt;
}

std::optional<std::string> set_size(const SizeField& field, Config& config, std::string_view text,
                                    std::string_view noun) {
  if (text != kAuto) return set_in_range(parse_count(text), field.min, field.max, field.in(config), noun);
  field.in(config) = kAutoSize;
  return std::nullopt;
}

std::optional<std::string> set_level(LogLevel& target, std::string_view text) {
  const auto* const found = std::ranges::find(kLevels, text, &LevelName::name);
  if (found == kLevels.end()) return "is not a log level";
  target = found->level;
  return std::nullopt;
}

std::optional<std::string> refusal(const TextRule& rule, std::string_view text) {
  if (text.size() > kMaxTextBytes) return fmt::format("is longer than {} bytes", kMaxTextBytes);
  if (printable(text) != text) return "contains control characters or is not UTF-8";
  if (!rule.accepts(text)) return fmt::format("is not {}", rule.noun);
  return std::nullopt;
}

std::optional<std::string> set_text(std::string& target, const TextRule& rule, std::string_view text) {
  auto refused = refusal(rule, text);
  if (!refused) target = text;
  return refused;
}

}  // namespace

std::string_view noun(const Field& field) {
  return std::visit(Overloaded{[](const BoolField&) -> std::string_view { return "a switch"; },
                               [](const DurationField&) -> std::string_view { return "a duration"; },
                               [](const CountField&) -> std::string_view { return "a whole number"; },
                               [](const SizeField&) -> std::string_view { return "a whole number or auto"; },
                               [](const LevelField&) -> std::string_view { return "a log level"; },
                               [](const TextField& f) { return f.rule.noun; },
                               [](const ListField&) -> std::string_view { return "a list"; },
                               [](const RulesField&) -> std::string_view { return "a list of rules"; }},
                    field);
}

std::string accepted(const Field& field) {
  return std::visit(
      Overloaded{[](const BoolField&) -> std::string { return "true or false"; },
                 [](const DurationField& f) {
                   return fmt::format("{} to {}, such as 500ms or 2s", format_duration(f.min),
                                      format_duration(f.max));
                 },
                 [](const CountField& f) { return fmt::format("{} to {}", f.min, f.max); },
                 [](const SizeField& f) { return fmt::format("{}, or {} to {}", kAuto, f.min, f.max); },
                 [](const LevelField&) -> std::string { return "error, warn, info or debug"; },
                 [](const TextField& f) { return std::string(f.rule.accepted); },
                 [](const ListField& f) {
                   return fmt::format("a list of at most {}, each {}", f.most, f.rule.accepted);
                 },
                 [](const RulesField& f) {
                   return fmt::format(
                       "a list of at most {}, each with pod, group and, to hold in one namespace "
                       "alone, namespace, such as {{pod: train-(*)-worker-*, group: train-$1}}",
                       f.most);
                 }},
      field);
}

std::optional<std::string> set(const Field& field, Config& config, std::string_view text) {
  return std::visit(
      Overloaded{[&](const BoolField& f) { return set_bool(f.in(config), text); },
                 [&](const DurationField& f) {
                   return set_in_range(parse_milliseconds(text), f.min, f.max, f.in(config), noun(field));
                 },
                 [&](const CountField& f) {
                   return set_in_range(parse_count(text), f.min, f.max, f.in(config), noun(field));
                 },
                 [&](const SizeField& f) { return set_size(f, config, text, noun(field)); },
                 [&](const LevelField& f) { return set_level(f.in(config), text); },
                 [&](const TextField& f) { return set_text(f.in(config), f.rule, text); },
                 [](const ListField&) -> std::optional<std::string> { return "is not a list"; },
                 [](const RulesField&) -> std::optional<std::string> { return "is not a list of rules"; }},
      field);
}

std::string text(const Field& field, const Config& config) {
  Config copy = config;  // the accessors of a field give a reference to write to
  return std::visit(
      Overloaded{[&](const BoolField& f) -> std::string { return f.in(copy) ? "true" : "false"; },
                 [&](const DurationField& f) { return format_duration(f.in(copy)); },
                 [&](const CountField& f) { return std::to_string(f.in(copy)); },
                 [&](const SizeField& f) {
                   return f.in(copy) == kAutoSize ? std::string(kAuto) : std::to_string(f.in(copy));
                 },
                 [&](const LevelField& f) {
                   return std::string(std::ranges::find(kLevels, f.in(copy), &LevelName::level)->name);
                 },
                 [&](const TextField& f) { return f.in(copy); },
                 [](const ListField&) -> std::string { return {}; },
                 [](const RulesField&) -> std::string { return {}; }},
      field);
}

std::optional<std::string> add(const ListField& field, Config& config, std::string_view text) {
  auto& list = field.in(config);
  if (auto refused = refusal(field.rule, text)) return refused;
  if (std::ranges::find(list, text) != list.end()) return "is given twice";
  if (list.size() >= field.most) return fmt::format("is one more than {}", field.most);
  list.emplace_back(text);
  return std::nullopt;
}

std::span<const RuleMember> rule_members() {
  static constexpr std::array kMembers = {RuleMember{"pod", &flow::GroupRule::pod, false},
                                          RuleMember{"namespace", &flow::GroupRule::ns, true},
                                          RuleMember{"group", &flow::GroupRule::group, false}};
  return kMembers;
}

std::optional<std::string> add(const RulesField& field, Config& config, const flow::GroupRule& rule) {
  auto& rules = field.in(config);
  if (const auto parsed = flow::GroupRules::parse({rule}); !parsed)
    return fmt::format("{}; accepted: {}", parsed.error().what, parsed.error().hint);
  if (rules.size() >= field.most)
    return fmt::format("there is one more than {}; accepted: {}", field.most, accepted(Field(field)));
  rules.push_back(rule);
  return std::nullopt;
}

}  // namespace flowtap
