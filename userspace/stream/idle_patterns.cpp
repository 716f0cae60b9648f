#include "stream/idle_patterns.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/ascii.hpp"
#include "base/flows/sandbox_container.hpp"
#include "base/printable.hpp"
#include "identity/flow_id.hpp"
#include "identity/patterns/name_pattern.hpp"
#include "identity/patterns/scheduler_match.hpp"

namespace flowtap {
namespace {

using Why = std::optional<std::string>;

constexpr std::string_view kSchedulersKey = "stream.schedulers";
constexpr std::string_view kFilesKey = "stream.files";
constexpr std::string_view kProcessesKey = "stream.processes";
constexpr std::string_view kUnitsKey = "stream.units";
constexpr std::string_view kRulesKey = "stream.flow_rules";
constexpr std::string_view kWild = "*?";

// Kubernetes' rules for names (RFC 1123): a label, and a subdomain, which has dots as well.
constexpr std::size_t kMostOfLabel = 63;
constexpr std::size_t kMostOfSubdomain = 253;

bool is_wild(char c) {
  return kWild.contains(c);
}

// What no name can be that fits the pattern, which is not empty, in a few words; nothing: there is such a name.
Why why_no_name(std::string_view pattern, std::string_view extra, std::size_t most) {
  const auto at = std::ranges::find_if(
      pattern, [extra](char c) { return !is_lower(c) && !is_digit(c) && !is_wild(c) && !extra.contains(c); });
  if (at != pattern.end()) return "has " + in_quotes(std::string_view(at, at + 1)) + " in its name";
  for (const char c : {pattern.front(), pattern.back()})
    if (extra.contains(c)) return "has a name that begins or ends with " + in_quotes(std::string_view(&c, 1));
  if (static_cast<std::size_t>(std::ranges::count_if(pattern, [](char c) { return c != '*'; })) > most)
    return "has a name of more than " + std::to_string(most) + " characters";
  return std::nullopt;
}

Why why_no_label(std::string_view what, std::string_view pattern) {
  const auto why = why_no_name(pattern, "-", kMostOfLabel);
  return why ? Why("no " + std::string(what) + " " + *why) : std::nullopt;
}

Why why_no_pod(std::string_view pattern) {
  const auto why = why_no_name(pattern, "-.", kMostOfSubdomain);
  return why ? Why("no pod " + *why) : std::nullopt;
}

std::vector<std::string_view> parts_of_pattern(std::string_view pattern) {
  std::vector<std::string_view> parts;
  for (std::size_t slash = 0; (slash = pattern.find('/')) != std::string_view::npos;
       pattern.remove_prefix(slash + 1))
    parts.push_back(pattern.substr(0, slash));
  parts.push_back(pattern);
  return parts;
}

Why why_no_pods_log(std::string_view pattern) {
  const auto parts = parts_of_pattern(pattern);
  if (auto why = why_no_label("namespace", parts[1])) return why;
  if (auto why = why_no_pod(parts[2])) return why;
  return flow::fits(parts[3], kSandboxContainer) ? std::nullopt : why_no_label("container", parts[3]);
}

// A name without wildcards is taken as it is. With them, the flow of a container with a name ends with "-" and the beginning of
// its id, which is hexadecimal for every runtime that gives names. No "-" stands in the flow of one without a name.
Why why_no_containers_log(std::string_view pattern) {
  const std::string_view name = pattern.substr(pattern.find('/') + 1);
  const std::size_t star = name.rfind('*');
  std::string_view end = star == std::string_view::npos ? name : name.substr(star + 1);
  constexpr std::size_t kSuffix = 1 + kShortId;
  // No runtime takes one.
  if (const std::size_t blank = name.find_first_of(" \t\n\r"); blank != std::string_view::npos)
    return "no container has " + in_quotes(name.substr(blank, 1)) + " in its name";
  if (name.find_first_of(kWild) == std::string_view::npos) return std::nullopt;
  bool can_end = star != std::string_view::npos || name.size() > kSuffix;
  if (end.size() > kSuffix) end.remove_prefix(end.size() - kSuffix);
  for (std::size_t i = 0; i < end.size(); ++i) {
    const bool is_dash = end.size() - i == kSuffix;
    const char c = end[i];
    can_end = can_end && (c == '?' || (is_dash ? c == '-' : is_lower_hex(c)));
  }
  if (can_end || !name.contains('-')) return std::nullopt;
  return "behind a container's name, its flow has - and the first 12 digits of its id; write " +
         in_quotes("container/" + std::string(name) + "-*");
}

// The suffixes of systemd.unit(5) that stream.units does not take.
bool is_other_unit(std::string_view name) {
  constexpr auto kOthers =
      std::to_array<std::string_view>({".automount", ".device", ".mount", ".path", ".scope", ".slice",
                                       ".socket", ".swap", ".target", ".timer"});
  return std::ranges::any_of(kOthers, [name](std::string_view suffix) { return name.ends_with(suffix); });
}

// Each advice must be taken by the key that it names.
Why why_no_units_log(const std::string& pattern, const std::vector<std::string>& units) {
  const auto match = flow::SchedulerMatch::parse({pattern});
  const auto fits_it = [&](const std::string& unit) { return match->matches(identity::unit_flow_id(unit)); };
  if (match && std::ranges::any_of(units, fits_it)) return std::nullopt;
  const std::string name = pattern.substr(pattern.find('/') + 1);
  constexpr std::string_view kService = ".service";
  if (is_other_unit(name))
    return std::string(kUnitsKey) + " takes services alone, and " + in_quotes(name) +
           " is none; write the service whose output it is, such as " +
           in_quotes("unit/" + name.substr(0, name.rfind('.')).append(kService));
  const std::string service = name.ends_with(kService) ? name : name + std::string(kService);
  const std::string write = service == name ? "" : "; write " + in_quotes("unit/" + service);
  if (std::ranges::any_of(units, [&](const std::string& unit) { return flow::fits(service, unit); }))
    return std::string(kUnitsKey) + " has it as " + in_quotes(service) + write;
  const std::string none =
      std::string(kUnitsKey) + " lists no unit that fits, so that none is captured; list ";
  if (name.find_first_of(kWild) != std::string::npos)
    return none + "each by its whole name there, such as kube-scheduler.service";
  return none + in_quotes(service) + " there" + (write.empty() ? "" : " and" + write.substr(1) + " here");
}

// "/log//s.log", "/log/./s.log" and "/log/s.log/" name the same file.
std::string plain_path(std::string_view path) {
  std::string plain = std::filesystem::path(path).lexically_normal().string();
  if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

Why why_no_files_log(const std::string& pattern, const std::vector<std::string>& files) {
  const auto match = flow::SchedulerMatch::parse({pattern});
  const auto is_it = [&](const std::string& file) { return match->matches(identity::file_flow_id(file)); };
  if (match && std::ranges::any_of(files, is_it)) return std::nullopt;
  std::string_view below = std::string_view(pattern).substr(std::string_view("file/").size());
  below.remove_prefix(std::min(below.find_first_not_of('/'), below.size()));
  const std::string path = "/" + std::string(below);
  const std::string plain = plain_path(path);
  if (std::ranges::find(files, plain) != files.end())
    return std::string(kFilesKey) + " has it as " + in_quotes(plain) + "; write " +
           in_quotes("file/" + plain);
  std::string why =
      std::string(kFilesKey) + " does not list " + in_quotes(plain) + ", so that it is not followed; ";
  if (path.find_first_of(kWild) == std::string::npos)
    return why + "list it there" +
           (plain == path ? "" : " and write " + in_quotes("file/" + plain) + " here");
  // People expect wildcards in paths, too.
  const auto wanted =
      std::ranges::find_if(files, [&](const std::string& file) { return flow::fits(plain, file); });
  why += "in a path, * and ? stand for themselves: ";
  return why + (wanted != files.end() ? "write " + in_quotes("file/" + *wanted) : "write each path whole");
}

Why why_no_log(const std::string& pattern, const SourceOptions& sources) {
  if (pattern.starts_with("pod/")) return why_no_pods_log(pattern);
  if (pattern.starts_with("unit/")) return why_no_units_log(pattern, sources.units);
  if (pattern.starts_with("file/")) return why_no_files_log(pattern, sources.files);
  return why_no_containers_log(pattern);
}

std::string without_parentheses(std::string text) {
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  return text;
}

bool takes_all(std::string_view pattern) {
  return !pattern.empty() && std::ranges::all_of(pattern, [](char c) { return c == '*'; });
}

// A group whose name is empty is no group, and the next rule has its turn.
bool always_has_a_name(std::string group) {
  for (std::size_t at = 0; (at = group.find('$')) != std::string::npos;) {
    if (at + 1 >= group.size() || !is_digit(group[at + 1])) return true;  // $namespace
    group.erase(at, 2);
  }
  return !group.empty();
}

// Whether nothing is left for the later one.
bool covers(const flow::GroupRule& earlier, const flow::GroupRule& later) {
  const std::string pods = without_parentheses(earlier.pod);
  const bool all_pods = takes_all(pods) || pods == without_parentheses(later.pod);
  const bool all_namespaces = earlier.ns.empty() || takes_all(earlier.ns) || earlier.ns == later.ns;
  // "(*)" stands for all of a name, which is never empty.
  return all_pods && all_namespaces && (always_has_a_name(earlier.group) || earlier.pod == "(*)");
}

Why why_no_group(const std::vector<flow::GroupRule>& rules, std::size_t at) {
  const flow::GroupRule& rule = rules[at];
  if (auto why = why_no_pod(without_parentheses(rule.pod))) return why;
  if (!rule.ns.empty())
    if (auto why = why_no_label("namespace", rule.ns)) return why;
  for (std::size_t i = 0; i < at; ++i)
    if (covers(rules[i], rule))
      return "the rule for " + in_quotes(rules[i].pod) + " before it takes all of its pods";
  return std::nullopt;
}

}  // namespace

std::vector<api::IdlePattern> idle_patterns(const LineOptions::Schedulers& schedulers,
                                            const SourceOptions& sources,
                                            const std::vector<flow::GroupRule>& rules) {
  std::vector<api::IdlePattern> idle;
  for (const std::string& pattern : schedulers.logs)
    if (auto why = why_no_log(pattern, sources))
      idle.push_back({std::string(kSchedulersKey), pattern, std::move(*why)});
  const auto take_paths = [&idle](std::string_view key, const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      if (std::ranges::any_of(path, is_wild))
        idle.push_back(
            {std::string(key), path, "in a path, * and ? stand for themselves: write each path whole"});
  };
  take_paths(kFilesKey, sources.files);
  take_paths(kProcessesKey, sources.processes);
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (auto why = why_no_group(rules, i))
      idle.push_back({std::string(kRulesKey), rules[i].pod, std::move(*why)});
  return idle;
}

std::string idle_lists(const StreamOptions& options) {
  if (options.enabled) return {};
  const LineOptions::Schedulers defaults;
  std::string keys;
  const auto take = [&keys](std::string_view key, bool is_listed) {
    if (is_listed) keys.append(keys.empty() ? "" : ", ").append(key);
  };
  take(kUnitsKey, !options.sources.units.empty());
  take(kProcessesKey, !options.sources.processes.empty());
  take(kFilesKey, !options.sources.files.empty());
  take(kSchedulersKey, options.lines.schedulers.logs != defaults.logs);
  if (keys.empty()) return {};
  return "nothing of what the configuration lists (" + keys + ") is captured: stream.enabled is false";
}

}  // namespace flowtap
