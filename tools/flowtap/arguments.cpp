#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>

#include "pod_columns.hpp"

namespace flowtap::cli {
namespace {

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
      app.add_subcommand("top",
                         "How tasks get their CPUs, now: rates and shares by scheduler and type; with "
                         "--pods what pods use.");
  const std::map<std::string, std::uint64_t> units = {
      {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}};
  using Unit = CLI::AsNumberWithUnit;
  top->add_option("--interval", arguments.interval_ms, "Time between two updates (1s).")
      ->type_name("DURATION")
      ->transform(Unit(units, static_cast<Unit::Options>(Unit::CASE_SENSITIVE | Unit::UNIT_REQUIRED)))
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{3'600'000}));
  top->add_option("-n,--count", arguments.count, "End after so many updates.")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62U));
  TopOptions& o = arguments.top;
  top->add_flag("--pods", o.pods, "A line for each pod, and for each container that is no pod's.");
  top->add_flag("--containers", o.containers, "With --pods: a line for each container.");
  top->add_option("--namespace", o.ns, "With --pods: only of this namespace.")->type_name("NS");
  top->add_option("--sort", o.sort, "With --pods: what is largest stands first; " + pod_column_words() + ".")
      ->type_name("WORD")
      ->check([](const std::string& word) { return pod_column(word) ? "" : "no such column"; });
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

void declare_why(CLI::App& app, WhyOptions& o) {
  auto* why = app.add_subcommand(
      "why", "Why a pod was placed where it is, or nowhere; without a pod, all in a line each.");
  why->add_option("NAMESPACE/POD", o.of, "Which pod.")->type_name("");
  why->add_option(
         "--from", o.from,
         "Out of a scheduler's saved log, in place of the daemon: plain, gzip, or as a container runtime "
         "keeps it; - is standard input. May be given several times.")
      ->type_name("FILE")
      ->allow_extra_args(false);
  why->add_flag("--watch", o.watch, "Again whenever the answer has changed, until the pod is bound.");
  why->add_flag("--evidence", o.evidence,
                "With the line of the log that each verdict rests on; with -o json also which attempt it is, "
                "and those before it.");
}

}  // namespace

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
  declare_why(app, arguments.why);
}

std::string_view accepted_by(std::string_view flag) {
  static const std::string kSorts = pod_column_words();
  if (flag == "--sort") return kSorts;
  const auto* const rule = std::ranges::find(kRules, flag, &Rule::flag);
  return rule == kRules.end() ? std::string_view() : rule->accepted;
}

}  // namespace flowtap::cli
