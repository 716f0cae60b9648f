#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>

#include "base/directory.hpp"
#include "base/time/duration.hpp"
#include "tools/flowtap/top/pod_columns.hpp"

namespace flowtap::cli {
namespace {

/// What each flag with a rule accepts, for errors.
struct Rule {
  std::string_view flag;
  const char* accepted;
};
constexpr std::array kRules = {
    Rule{"--output", "text, json, or otel (only with logs)"},
    Rule{"--interval", "100ms to 1h, such as 500ms or 2s"},
    Rule{"--count", "a whole number from 1 on; --namespace NS shows one namespace"},
    Rule{"PID", "the number of a process"},
    Rule{"--limit-bytes", "a whole number of bytes"},
    Rule{"--stream", "stdout or stderr"},
    Rule{"--color", "auto, always or never"}};

/// Nothing: `text` is now a number of milliseconds.
std::string to_milliseconds(std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) return "no duration";
  text = std::to_string(std::chrono::floor<std::chrono::milliseconds>(*duration).count());
  return {};
}

/// Flags of other tools for what flowtap does anyway. They are accepted, and the help does not list them.
void declare_taken(CLI::App& app, std::initializer_list<const char*> flags) {
  for (const char* flag : flags) app.add_flag(flag)->group("");
}

/// What is given twice counts as it is given last, so that a shell's alias can be overruled.
void let_last_count(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_expected_max() == 1) option->take_last();
  for (CLI::App* command : app.get_subcommands(nullptr)) let_last_count(*command);
}

void declare_top(CLI::App& app, Arguments& arguments) {
  auto* top =
      app.add_subcommand("top",
                         "Show live how tasks get their CPUs: rates and shares by scheduler and type. With "
                         "--pods, show what pods use.");
  top->add_option("--interval", arguments.interval_ms, "Time between two updates, 1s by default.")
      ->type_name("DURATION")
      ->transform(CLI::Validator(to_milliseconds, ""))
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{3'600'000}).description(""));
  top->add_option("-n,--count", arguments.count, "Stop after N updates.")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62U).description(""));
  TopOptions& o = arguments.top;
  top->add_flag("--pods", o.pods, "Show a line for each pod, and for each container outside of pods.");
  top->add_flag("--containers", o.containers, "With --pods: show a line for each container.");
  top->add_flag("--ended", o.ended,
                "With --pods: also show what ended in the last minutes (telemetry.keep).");
  top->add_option("--namespace", o.ns, "With --pods: show only this namespace.")->type_name("NS");
  top->add_option("--sort", o.sort,
                  "With --pods: sort by this column, largest first: " + pod_column_words() + ".")
      ->type_name("WORD")
      ->check([](const std::string& word) { return pod_column(word) ? "" : "no such column"; });
}

void declare_flows(CLI::App& app, Arguments& arguments) {
  auto* flows = app.add_subcommand(
      "flows", "List the flows: whose output is captured, how much of it, and what is missing.");
  flows->add_option("-n,--namespace", arguments.flows.ns, "Show only this namespace.")->type_name("NS");
  flows->add_option("--pod", arguments.flows.pod, "Show only the pod with this name.")->type_name("POD");
  flows->add_option("--group", arguments.flows.group, "Show only this group (stream.flow_rules).")
      ->type_name("GROUP");
  flows->add_option("--kind", arguments.flows.kind, "Show only this kind: pod, container, unit, proc, ...")
      ->type_name("KIND");
}

void declare_logs(CLI::App& app, Arguments& arguments) {
  auto* logs = app.add_subcommand(
      "logs", "Print the log of a pod's container, of a container that is in no pod, or of any flow.");
  LogWords& words = arguments.logs;
  LogsOptions& o = words.options;
  logs->add_option("NAMESPACE/POD|NAME|FLOW", o.of,
                   "The pod; or the name or id of a container that is in no pod, of which the newest run is "
                   "meant; or the id of a flow.")
      ->type_name("");
  logs->add_option("CONTAINER", words.container_word, "The same as -c.")->type_name("");
  logs->add_option("-n,--namespace", words.ns,
                   "The pod's namespace, instead of NAMESPACE/; with --group, print only its pods.")
      ->type_name("NS");
  logs->add_option("-u,--unit", words.unit)->group("");
  logs->add_option("-g,--group", o.group,
                   "Print the logs of all pods of this group (stream.flow_rules), sorted by time, with the "
                   "pod in front of each line. With --follow, pods that join the group later are included.")
      ->type_name("GROUP");
  logs->add_option("-c,--container", o.container, "The container, if the pod has several.")
      ->type_name("NAME");
  logs->add_flag("--all-containers", o.all_containers,
                 "Print all containers of the pod, with the container in front of each line.");
  logs->add_flag("-f,--follow", o.follow, "Keep printing new lines as they are written.");
  logs->add_flag("--prefix", words.prefix)->group("");
  logs->add_flag("-t,--timestamps", o.timestamps, "Print each line's time in front of it.");
  logs->add_flag("-p,--previous", o.previous,
                 "Print the log of the container's previous run. With a flow's id, print the run before "
                 "that one.");
  logs->add_option("--stream", o.stream, "Print only stdout, or only stderr.")
      ->type_name("STREAM")
      ->check(CLI::IsMember({"stdout", "stderr"}).description(""));
  logs->add_option("--tail", words.tail, "Print only the last N lines of each container; -1: all.")
      ->type_name("N");
  logs->add_option("--lines", words.tail)->group("");
  logs->add_option("--since", words.since,
                   "Print only lines from then on: 30s, 1h30m or 2d ago; a time, such as "
                   "2026-01-02T03:04:05Z or \"2026-01-02 03:04\"; yesterday, or now.")
      ->type_name("WHEN");
  logs->add_option("-S", words.since)->group("");
  logs->add_option("--since-time", words.since_time, "The same as --since; kubectl has this name.")
      ->type_name("TIME");
  logs->add_option("--limit-bytes", words.limit_bytes, "End the output after N bytes.")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62U).description(""));
  // Nothing limits how many logs are followed, no error of one ends the others, and nothing is shown in a pager.
  declare_taken(*logs, {"--ignore-errors", "--insecure-skip-tls-verify-backend", "--no-tail", "--utc",
                        "--no-hostname", "--no-follow"});
  logs->add_option("--max-log-requests")->group("");
}

void declare_tap(CLI::App& app, Arguments& arguments) {
  auto* tap = app.add_subcommand(
      "tap", "Follow what a running process writes to its outputs, from now on, without touching it.");
  tap->add_option("PID", arguments.tap.pid, "The process id, as the host sees it.")
      ->required()
      ->type_name("")
      ->check(CLI::Range(std::uint32_t{1}, static_cast<std::uint32_t>(kMostPids)).description(""));
  tap->add_flag("--stdout", arguments.only_out, "Follow only its standard output.");
  tap->add_flag("--stderr", arguments.only_err, "Follow only its standard error.");
}

void declare_why(CLI::App& app, Arguments& arguments) {
  WhyOptions& o = arguments.why;
  auto* why = app.add_subcommand("why",
                                 "Explain why a pod was placed where it is, or nowhere, and how its "
                                 "containers ended. Without a pod, print a line for each pod.");
  why->add_option("NAMESPACE/POD", o.of,
                  "A pod; or the name of a container that is in no pod, or of a systemd service: then the "
                  "answer is how it ended.")
      ->type_name("");
  why->add_option(
         "--from", o.from,
         "Read a scheduler's saved log instead of asking flowtapd: as the scheduler wrote it, or as a "
         "container runtime, journalctl, kubectl, a log collector or an export saved it, gzipped or not. - "
         "is "
         "standard input. May be given several times.")
      ->type_name("FILE")
      ->allow_extra_args(false);
  why->add_option("-n,--namespace", arguments.why_ns,
                  "The pod's namespace, instead of NAMESPACE/; without a pod, show only its pods.")
      ->type_name("NS");
  why->add_flag("-w,--watch", o.watch, "Print the answer again whenever it changes, until the pod is bound.");
  why->add_flag("--evidence", o.evidence,
                "Add the log line behind each verdict. With -o json, also add the attempt's number and the "
                "attempts before it.");
}

}  // namespace

void declare(CLI::App& app, Arguments& arguments) {
  app.require_subcommand(0, 1);
  app.fallthrough();   // flags may stand before and after the command
  app.allow_extras();  // we report these ourselves, in a sentence
  app.set_help_flag("-h,--help", "Print this text and exit.");
  app.add_flag("--version")->description("Print the version and exit.");
  declare_taken(app, {"--no-pager"});
  app.add_option("--state-dir", arguments.state_dir, "The folder with flowtapd's socket.")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("-o,--output", arguments.output,
                 "Print text (the default), json, or otel (only with logs): one OpenTelemetry log record "
                 "in JSON per line.")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json", "otel"}).description(""));
  app.add_option("--color", arguments.color,
                 "auto (the default: on a terminal, unless NO_COLOR is set), always or never.")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
  app.add_subcommand("status", "Show what runs, what is missing, and what to do about it.");
  declare_top(app, arguments);
  declare_flows(app, arguments);
  declare_logs(app, arguments);
  declare_tap(app, arguments);
  declare_why(app, arguments);
  let_last_count(app);
}

std::string_view accepted_by(std::string_view flag) {
  static const std::string kSorts = pod_column_words();
  if (flag == "--sort") return kSorts;
  const auto* const rule = std::ranges::find(kRules, flag, &Rule::flag);
  return rule == kRules.end() ? std::string_view() : rule->accepted;
}

}  // namespace flowtap::cli
