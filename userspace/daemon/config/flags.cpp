#include "daemon/config/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/command_line/program.hpp"
#include "base/printable.hpp"
#include "daemon/config/nearest.hpp"

namespace flowtap {
namespace {

constexpr std::string_view kHelpHint = "flowtapd --help lists all flags";

/// A flag that is another way to write a configuration key.
struct KeyFlag {
  const char* name;
  const char* value;  ///< the name of the value in --help
  std::string_view key;
  std::string_view enables = {};  ///< the key that giving the flag sets to true
  const char* help = "";          ///< for --help; if empty, the key's own comment
  bool optional_value = false;
};
constexpr std::array kKeyFlags = {
    KeyFlag{"--state-dir", "DIR", "state_dir"},
    KeyFlag{"--host-root", "DIR", "host_root"},
    KeyFlag{"--cycle", "DURATION", "cycle"},
    KeyFlag{"--log-level", "LEVEL", "log_level"},
    KeyFlag{"--scheduler", "NAME", "scheduler"},
    KeyFlag{"--tap-backend", "NAME", "stream.backend"},
    KeyFlag{"--record", "FILE", "stream.record"},
    KeyFlag{"--prometheus-address", "HOST:PORT", "prometheus.address"},
    KeyFlag{"--compat-metrics", "LIST", "prometheus.compat_metrics"},
    KeyFlag{"--api-address", "HOST:PORT", "api.address"},
    KeyFlag{"--report", "[DURATION]", "report.interval", "report.enabled",
            "Print a table of rates and shares every second, or in this interval (--report=5s).", true},
    KeyFlag{"--statsd", "URL", "statsd.address", "statsd.enabled",
            "Send to this StatsD agent: udp://HOST:PORT or unix:///PATH."},
    KeyFlag{"--spectatord", "URL", "spectatord.address", "spectatord.enabled",
            "Send to this spectatord: udp://HOST:PORT or unix:///PATH."},
    KeyFlag{"--json-lines", "OUT", "json_lines.output", "json_lines.enabled",
            "Write one JSON object per cycle to this file, or to standard output (-)."},
};

struct ActionFlag {
  const char* name;
  Action action;
  const char* help;
};
constexpr std::array kActionFlags = {
    ActionFlag{"--check-config", Action::kCheckConfig, "Check the configuration and exit."},
    ActionFlag{
        "--print-config", Action::kPrintConfig,
        "Print a complete, commented configuration, with the values of --config and of the other flags, "
        "and exit."},
    ActionFlag{"--detach", Action::kDetach,
               "Remove everything that flowtap has pinned in the kernel, below stream.bpffs, and exit."},
    ActionFlag{"--version", Action::kVersion, "Print the version and exit."},
    ActionFlag{"--help", Action::kHelp, "Print this text and exit."},
};

constexpr const char* kConfigFlag = "--config";
constexpr const char* kPrometheusFlag = "--enable-prometheus";

/// Flags without a value.
bool is_switch(std::string_view name) {
  return name == kPrometheusFlag ||
         std::ranges::any_of(kActionFlags, [name](const ActionFlag& f) { return f.name == name; });
}

/// --help asks for no help here, so that all actions exclude each other by one rule.
command_line::Command program() {
  command_line::Command flowtapd{"flowtapd", "flowtapd: the flowtap node service"};
  flowtapd.option(kConfigFlag, "FILE", "Read this YAML file; flags override it.");
  for (const ActionFlag& flag : kActionFlags) flowtapd.flag(flag.name, flag.help);
  flowtapd.flag(kPrometheusFlag, "Serve Prometheus metrics at /metrics.");
  for (const KeyFlag& flag : kKeyFlags) {
    const std::string help = *flag.help != '\0' ? flag.help : describe_config_key(flag.key);
    flowtapd.option(flag.name, flag.value, help).value_is_optional = flag.optional_value;
  }
  return flowtapd;
}

/// The error is about the first one, with the flag that was probably meant.
Status check_unknown(const std::vector<std::string>& unknown) {
  if (unknown.empty()) return {};
  const std::string& word = unknown.front();
  if (!word.starts_with('-')) return fail("unexpected argument " + in_quotes(word), std::string(kHelpHint));
  std::vector<std::string_view> names = {kConfigFlag, kPrometheusFlag};
  for (const ActionFlag& flag : kActionFlags) names.emplace_back(flag.name);
  for (const KeyFlag& flag : kKeyFlags) names.emplace_back(flag.name);
  const std::string name = word.substr(0, word.find('='));
  const auto near = nearest(name, names);
  return fail(fmt::format("unknown flag {}{}", in_quotes(name),
                          near.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", near)),
              std::string(kHelpHint));
}

Result<Action> chosen_action(const command_line::Given& given) {
  const char* first = nullptr;
  Action action = Action::kRun;
  for (const ActionFlag& flag : kActionFlags) {
    if (!given.has(flag.name)) continue;
    if (first != nullptr)
      return fail(fmt::format("{} and {} exclude each other", first, flag.name), "give one of them");
    first = flag.name;
    action = flag.action;
  }
  return action;
}

/// command_line::parse() accepts a value for a switch, and a flag that is given twice.
Status check_spelling(std::span<const char* const> args) {
  std::vector<std::string_view> seen;
  for (const std::string_view arg : args) {
    if (!arg.starts_with("--")) continue;
    const std::string_view name = arg.substr(0, arg.find('='));
    if (is_switch(name) && name != arg)
      return fail(std::string(name) + " takes no value", "leave out the = and what follows it");
    if (std::ranges::find(seen, name) != seen.end())
      return fail(in_quotes(name) + " is given more than once", "give it once; flags override the file");
    seen.push_back(name);
  }
  return {};
}

std::unexpected<Error> explain(const command_line::Problem& problem) {
  const bool no_value = problem.fault == command_line::Fault::kNoValue;
  return fail(no_value ? problem.name + " needs a value" : "bad command line: " + printable(problem.text),
              std::string(kHelpHint));
}

Status apply(const command_line::Given& given, const KeyFlag& flag, Config& config) {
  if (!given.has(flag.name)) return {};
  if (!flag.enables.empty()) FTAP_TRY(set_config_value(config, flag.enables, "true", flag.name));
  const std::string value = given.value_of(flag.name);
  if (flag.optional_value && value.empty()) return {};
  return set_config_value(config, flag.key, value, flag.name);
}

}  // namespace

Result<Invocation> parse_flags(int argc, const char* const* argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  FTAP_TRY(check_spelling(words));
  const auto given = command_line::parse(program(), words);
  if (given.problem) return explain(*given.problem);
  FTAP_TRY(check_unknown(given.unknown));

  Invocation invocation;
  FTAP_TRY_ASSIGN(action, chosen_action(given));
  invocation.action = action;
  if (action == Action::kHelp || action == Action::kVersion) return invocation;
  if (given.has(kConfigFlag)) {
    invocation.config_path = given.value_of(kConfigFlag);
    FTAP_TRY_ASSIGN(config, load_config(invocation.config_path));
    invocation.config = std::move(config);
  } else if (action == Action::kCheckConfig) {
    return fail("--check-config needs a file to check", "flowtapd --check-config --config FILE");
  }
  if (given.has(kPrometheusFlag)) invocation.config.outlets.prometheus.enabled = true;
  for (const KeyFlag& flag : kKeyFlags) FTAP_TRY(apply(given, flag, invocation.config));
  return invocation;
}

std::string flags_help() {
  return command_line::help_of(program());
}

}  // namespace flowtap
