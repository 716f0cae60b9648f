#include "identity/patterns/group_rules.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kMaxName = 253;  // of a pod (RFC 1123 subdomain), and enough for a group
constexpr std::string_view kNamespace = "namespace";

constexpr const char* kNameAccepted =
    "at most 253 lower-case letters, digits, - and ., with * for any characters and ? for one";
constexpr const char* kPodAccepted =
    "a pattern of at most 253 lower-case letters, digits, - and ., with * for any characters, ? for one, and "
    "parentheses "
    "around what the group's name is to have, such as train-(*)-worker-*";
constexpr const char* kGroupAccepted =
    "at most 253 characters, with $1 to $9 for what stands in the pod's parentheses and $namespace for its "
    "namespace, such "
    "as train-$1";

bool is_of_names(std::string_view text, std::string_view extra) {
  return !text.empty() && text.size() <= kMaxName && std::ranges::all_of(text, [extra](char c) {
    return is_lower(c) || is_digit(c) || extra.contains(c);
  });
}

std::unexpected<Error> refuse(std::string_view member, std::string_view value, std::string_view why,
                              const char* accepted) {
  return fail(std::string(member) + ": " + in_quotes(value) + " " + std::string(why), accepted);
}

}  // namespace

Result<std::vector<GroupRules::Part>> GroupRules::parse_group(std::string_view text, std::size_t parts) {
  if (text.empty() || text.size() > kMaxName || printable(text) != text)
    return fail("is not the name of a group");
  std::vector<Part> group(1);
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '$') {
      group.back().text += c;
    } else if (text.starts_with(kNamespace)) {
      group.back().ns = true;
      text.remove_prefix(kNamespace.size());
      group.emplace_back();
    } else if (!text.empty() && text.front() >= '1' && text.front() <= '9') {
      group.back().number = static_cast<std::size_t>(text.front() - '0');
      if (group.back().number > parts)
        return fail("has $" + std::string(1, text.front()) + ", and its pod " +
                    (parts == 0   ? "no parentheses"
                     : parts == 1 ? "one pair of parentheses"
                                  : std::to_string(parts) + " pairs of parentheses"));
      text.remove_prefix(1);
      group.emplace_back();
    } else {
      return fail("has a $ that neither 1 to 9 nor namespace follows");
    }
  }
  return group;
}

Result<GroupRules> GroupRules::parse(const std::vector<GroupRule>& rules) {
  GroupRules parsed;
  for (const GroupRule& rule : rules) {
    if (!is_of_names(rule.pod, "-.*?()"))
      return refuse("pod", rule.pod, "is not a pattern for names of pods", kPodAccepted);
    auto pod = NamePattern::parse(rule.pod);
    if (!pod) return refuse("pod", rule.pod, pod.error().what, kPodAccepted);
    if (!rule.ns.empty() && (!is_of_names(rule.ns, "-.*?") || !NamePattern::parse(rule.ns)))
      return refuse("namespace", rule.ns, "is not a pattern for names of namespaces", kNameAccepted);
    auto group = parse_group(rule.group, pod->parts());
    if (!group) return refuse("group", rule.group, group.error().what, kGroupAccepted);
    parsed.rules_.push_back({std::move(*pod), rule.ns, std::move(*group)});
  }
  return parsed;
}

std::optional<std::string> GroupRules::group_of(std::string_view ns, std::string_view pod) const {
  for (const Rule& rule : rules_) {
    if (!rule.ns.empty() && !fits(rule.ns, ns)) continue;
    const auto parts = rule.pod.match(pod);
    if (!parts) continue;
    std::string group;
    for (const Part& part : rule.group) {
      group += part.text;
      if (part.ns) group += ns;
      if (part.number > 0) group += parts->at(part.number - 1);
    }
    // "$1" for a star that stands for nothing gives an empty text: a group without a name is no group.
    if (!group.empty()) return group;
  }
  return std::nullopt;
}

}  // namespace flowtap::flow
