#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>

#include "api/socket_path.hpp"
#include "base/printable.hpp"
#include "client.hpp"

namespace flowtap::cli {
namespace {

struct Arguments {
  std::string state_dir{api::kDefaultStateDir};
  std::string output = "text";
  std::uint64_t interval_ms = 1000;
  std::uint64_t count = 0;  ///< 0: not given
  FlowsOptions flows = {};
  LogsOptions logs = {};
  std::uint64_t tail = 0;
  std::uint64_t since = 0;
  TapOptions tap = {};
  bool only_out = false;
  bool only_err = false;
  std::string color = "auto";
};

constexpr std::string_view kHelpHint = "flowtap --help lists all commands and flags";

/// What the flags with a rule accept, for --help and for those who gave something else.
struct Rule {
  std::string_view flag;
  const char* accepted;
};
constexpr std::array kRules = {
    Rule{"--output",
         "text or json; of logs also otel, log records as OpenTelemetry has them, one in each line of JSON"},
    Rule{"--interval", "100ms to 1h, such as 500ms or 2s"},
    Rule{"--count", "a whole number from 1 on"},
    Rule{"PID", "the number of a process"},
    Rule{"--tail", "a whole number of lines"},
    Rule{"--since", "a time such as 30s, 5m or 2h"},
    Rule{"--stream", "stdout or stderr"},
    Rule{"--color", "auto, always or never"}};

// Linux gives no process a higher number.
constexpr std::uint32_t kMaxPid = 4'194'304;

void declare_top(CLI::App& app, Arguments& arguments) {
  auto* top =
      app.add_subcommand("top", "How tasks get their CPUs, now: rates and shares by scheduler and type.");
  const std::map<std::string, std::uint64_t> units = {
      {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}};
  using Unit = CLI::AsNumberWithUnit;
  top->add_option("--interval", arguments.interval_ms, "Time between two updates (1s).")
      ->type_name("DURATION")
      ->transform(Unit(units, static_cast<Unit::Options>(Unit::CASE_SENSITIVE | Unit::UNIT_REQUIRED)))
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{3'600'000}));
  top->add_option("--count", arguments.count, "End after so many updates.")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62U));
}

void declare_flows(CLI::App& app, Arguments& arguments) {
  auto* flows = app.add_subcommand("flows", "Whose output is captured, how much of it, and what is missing.");
  flows->add_option("--namespace", arguments.flows.ns, "Only of this namespace.")->type_name("NS");
  flows->add_option("--pod", arguments.flows.pod, "Only of the pod with this name.")->type_name("POD");
  flows->add_option("--group", arguments.flows.group, "Only of this group (flow_rules).")->type_name("GROUP");
  flows->add_option("--kind", arguments.flows.kind, "Only of this kind: pod, container, unit, proc, ...")
      ->type_name("KIND");
}

void declare_logs(CLI::App& app, Arguments& arguments) {
  auto* logs = app.add_subcommand("logs", "The lines of a pod's container, or of any flow.");
  LogsOptions& o = arguments.logs;
  logs->add_option("NAMESPACE/POD|FLOW", o.of, "Whose: a pod, or a flow by its id.")->type_name("");
  logs->add_option(
          "-g,--group", o.group,
          "In place of a pod: all pods of this group (flow_rules), each line marked by its pod; with "
          "--follow also those that join it later, otherwise in the order of time.")
      ->type_name("GROUP");
  logs->add_option("-c,--container", o.container, "Which container, where the pod has several.")
      ->type_name("NAME");
  logs->add_flag("--all-containers", o.all_containers,
                 "All containers of the pod, each line marked by its container.");
  logs->add_flag("-f,--follow", o.follow, "Go on with what comes.");
  logs->add_flag("--timestamps", o.timestamps, "Each line's time in front of it.");
  logs->add_flag("-p,--previous", o.previous, "The container's run before this one.");
  logs->add_option("--stream", o.stream, "stdout or stderr alone.")
      ->type_name("STREAM")
      ->check(CLI::IsMember({"stdout", "stderr"}));
  logs->add_option("--tail", arguments.tail, "Only the last N lines; of several containers, of each.")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62U));
  const std::map<std::string, std::uint64_t> units = {{"s", 1}, {"m", 60}, {"h", 3'600}, {"d", 86'400}};
  using Unit = CLI::AsNumberWithUnit;
  logs->add_option("--since", arguments.since, "Only lines that are not older.")
      ->type_name("DURATION")
      ->transform(Unit(units, static_cast<Unit::Options>(Unit::CASE_SENSITIVE | Unit::UNIT_REQUIRED)))
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U));
}

void declare_tap(CLI::App& app, Arguments& arguments) {
  auto* tap = app.add_subcommand(
      "tap", "What is written where a running process writes, by whomever, from now, without touching it.");
  tap->add_option("PID", arguments.tap.pid, "Its number, outside of any container.")
      ->required()
      ->type_name("")
      ->check(CLI::Range(std::uint32_t{1}, kMaxPid));
  tap->add_flag("--stdout", arguments.only_out, "Its standard output alone.");
  tap->add_flag("--stderr", arguments.only_err, "Its standard error alone.");
}

void declare(CLI::App& app, Arguments& arguments) {
  app.require_subcommand(0, 1);
  app.fallthrough();   // flags may stand before and behind the command
  app.allow_extras();  // told by us, in a sentence
  app.set_help_flag("-h,--help", "Print this text and exit.");
  app.add_flag("--version")->description("Print the version and exit.");
  app.add_option("--state-dir", arguments.state_dir, "Where flowtapd has its socket.")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("-o,--output", arguments.output, kRules[0].accepted)
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json", "otel"}));
  app.add_option("--color", arguments.color, "auto: on a terminal, unless NO_COLOR is set; always; never.")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_subcommand("status", "What is up, what is missing, and what to do about it.");
  declare_top(app, arguments);
  declare_flows(app, arguments);
  declare_logs(app, arguments);
  declare_tap(app, arguments);
}

ExitCode usage(std::string what, std::string_view hint = kHelpHint) {
  complain({std::move(what), std::string(hint), 0});
  return kUsage;
}

/// What CLI11 found wrong, as a sentence. Its own text begins with the flag and a colon, and changes with its
/// version.
ExitCode explain(const CLI::ParseError& error) {
  const std::string_view message = error.what();
  const std::string_view flag = message.substr(0, message.find(':'));
  if (error.get_name() == "RequiredError")
    return usage(printable(message),
                 message.starts_with("PID") ? "flowtap tap PID" : "flowtap logs NAMESPACE/POD");
  if (error.get_name() == "ArgumentMismatch") return usage(printable(flag) + " needs one value");
  const auto* const rule = std::ranges::find(kRules, flag, &Rule::flag);
  if (rule == kRules.end()) return usage("bad command line: " + printable(message));
  return usage(fmt::format("this value of {} is not accepted; accepted: {}", flag, rule->accepted));
}

ExitCode unknown(const CLI::App& app, std::string_view word) {
  if (word.starts_with('-')) return usage("unknown flag " + in_quotes(word));
  if (!app.get_subcommands().empty()) return usage("unexpected argument " + in_quotes(word));
  std::string commands;
  for (const auto* command : app.get_subcommands(nullptr))
    commands += (commands.empty() ? "" : ", ") + command->get_name();
  return usage(fmt::format("unknown command {}; commands: {}", in_quotes(word), commands));
}

/// What is wrong with words that are right one by one; empty: nothing.
std::string wrong_logs(const LogsOptions& options) {
  if (options.of.empty() && options.group.empty()) return "logs needs a pod, a flow or a group";
  if (!options.of.empty() && !options.group.empty()) return "logs takes a pod or a group, not both";
  if (options.previous && (options.all_containers || !options.group.empty()))
    return "--previous is of one container";
  if (options.all_containers && !options.container.empty())
    return "--all-containers and --container exclude each other";
  return {};
}

Color color_of(const Arguments& arguments) {
  if (arguments.color == "auto") return Color::kAuto;
  return arguments.color == "always" ? Color::kAlways : Color::kNever;
}

std::variant<Command, ExitCode> command_of(const CLI::App& app, Arguments& arguments) {
  const bool json = arguments.output == "json";
  if (arguments.output == "otel" && !app.got_subcommand("logs"))
    return usage("-o otel is of logs alone", "flowtap logs NAMESPACE/POD -o otel");
  if (app.got_subcommand("status")) return StatusOptions{arguments.state_dir, json, color_of(arguments)};
  if (app.got_subcommand("flows")) {
    arguments.flows.state_dir = arguments.state_dir;
    arguments.flows.json = json;
    arguments.flows.color = color_of(arguments);
    return arguments.flows;
  }
  if (app.got_subcommand("logs")) {
    const auto* const logs = app.get_subcommand("logs");
    arguments.logs.state_dir = arguments.state_dir;
    arguments.logs.json = json;
    arguments.logs.otel = arguments.output == "otel";
    arguments.logs.color = color_of(arguments);
    if (logs->count("--tail") > 0) arguments.logs.tail = arguments.tail;
    if (logs->count("--since") > 0) arguments.logs.since = arguments.since;
    if (const std::string wrong = wrong_logs(arguments.logs); !wrong.empty())
      return usage(wrong, "flowtap logs NAMESPACE/POD, or flowtap logs --group GROUP");
    return arguments.logs;
  }
  if (app.got_subcommand("tap")) {
    arguments.tap.json = json;
    arguments.tap.state_dir = arguments.state_dir;
    arguments.tap.out = arguments.only_out || !arguments.only_err;
    arguments.tap.err = arguments.only_err || !arguments.only_out;
    return arguments.tap;
  }
  TopOptions top{arguments.state_dir, json, std::chrono::milliseconds(arguments.interval_ms), std::nullopt,
                 color_of(arguments)};
  if (arguments.count > 0) top.count = arguments.count;
  return top;
}

}  // namespace

std::variant<Command, ExitCode> parse_command_line(int argc, const char* const* argv) {
  CLI::App app("flowtap: asks the flowtapd of this machine", "flowtap");
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help("", CLI::AppFormatMode::All).c_str(), stdout);
    return kOk;
  } catch (const CLI::ParseError& error) {
    return explain(error);
  }
  if (app.count("--version") > 0) {
    std::puts("flowtap " FLOWTAP_VERSION);
    return kOk;
  }
  if (const auto rest = app.remaining(true); !rest.empty()) return unknown(app, rest.front());
  if (app.get_subcommands().empty())
    return usage("no command is given", "flowtap status, or flowtap flows; --help says more");
  return command_of(app, arguments);
}

}  // namespace flowtap::cli
