#include "arguments.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <vector>

#include "base/directory.hpp"
#include "base/time/duration.hpp"
#include "tools/flowtap/top/pod_columns.hpp"

namespace flowtap::cli {
namespace {

using namespace std::chrono_literals;
using command_line::Accept;

constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;  // of updates, or of bytes

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

/// A string, or an optional one.
template <typename Text>
Accept into(Text& target) {
  return [&target](std::string_view text) {
    target = text;
    return true;
  };
}

Accept into(std::vector<std::string>& target) {
  return [&target](std::string_view text) {
    target.emplace_back(text);
    return true;
  };
}

Accept one_of(std::initializer_list<std::string_view> words, std::string& target) {
  return [words = std::vector(words), &target](std::string_view text) {
    target = text;
    return std::ranges::find(words, text) != words.end();
  };
}

/// A number as C writes it: 0x1f is 31, and 010 is 8. To strtoull() a negative one would be a large one.
template <typename Number>
Accept number(std::uint64_t least, std::uint64_t most, Number& target) {
  return [least, most, &target](std::string_view text) {
    const std::string digits(text);
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(digits.c_str(), &end, 0);
    target = static_cast<Number>(value);
    return !text.empty() && *end == '\0' && !text.contains('-') && value >= least && value <= most;
  };
}

Accept interval(std::chrono::milliseconds& target) {
  return [&target](std::string_view text) {
    const auto duration = parse_duration(text);
    if (duration) target = std::chrono::floor<std::chrono::milliseconds>(*duration);
    return duration && target >= 100ms && target <= 1h;
  };
}

Accept column(std::string& target) {
  return [&target](std::string_view text) {
    target = text;
    return pod_column(text).has_value();
  };
}

/// Flags of other tools for what flowtap does anyway. They are accepted, and the help does not list them.
void add_taken(command_line::Command& command, std::initializer_list<const char*> flags) {
  for (const char* flag : flags) command.flag(flag, "").hidden = true;
}

command_line::Command top_of(Arguments& arguments) {
  TopOptions& o = arguments.top;
  command_line::Command top{
      "top",
      "Show live how tasks get their CPUs: rates and shares by scheduler and type. With "
      "--pods, show what pods use."};
  top.option("--interval", "DURATION", "Time between two updates, 1s by default.",
             interval(arguments.interval));
  top.option("-n,--count", "N", "Stop after N updates.", number(1, kMost, arguments.count));
  top.flag("--pods", "Show a line for each pod, and for each container outside of pods.", &o.pods);
  top.flag("--containers", "With --pods: show a line for each container.", &o.containers);
  top.flag("--ended", "With --pods: also show what ended in the last minutes (telemetry.keep).", &o.ended);
  top.option("--namespace", "NS", "With --pods: show only this namespace.", into(o.ns));
  top.option("--sort", "WORD", "With --pods: sort by this column, largest first: " + pod_column_words() + ".",
             column(o.sort));
  return top;
}

command_line::Command flows_of(FlowsOptions& o) {
  command_line::Command flows{
      "flows", "List the flows: whose output is captured, how much of it, and what is missing."};
  flows.option("-n,--namespace", "NS", "Show only this namespace.", into(o.ns));
  flows.option("--pod", "POD", "Show only the pod with this name.", into(o.pod));
  flows.option("--group", "GROUP", "Show only this group (stream.flow_rules).", into(o.group));
  flows.option("--kind", "KIND", "Show only this kind: pod, container, unit, proc, ...", into(o.kind));
  return flows;
}

command_line::Command logs_of(LogWords& words) {
  LogsOptions& o = words.options;
  command_line::Command logs{
      "logs", "Print the log of a pod's container, of a container that is in no pod, or of any flow."};
  logs.positional("NAMESPACE/POD|NAME|FLOW",
                  "The pod; or the name or id of a container that is in no pod, of which the newest run is "
                  "meant; or the id of a flow.",
                  into(o.of));
  logs.positional("CONTAINER", "The same as -c.", into(words.container_word));
  logs.option("-n,--namespace", "NS",
              "The pod's namespace, instead of NAMESPACE/; with --group, print only its pods.",
              into(words.ns));
  logs.option("-u,--unit", "", "", into(words.unit)).hidden = true;
  logs.option("-g,--group", "GROUP",
              "Print the logs of all pods of this group (stream.flow_rules), sorted by time, with the "
              "pod in front of each line. With --follow, pods that join the group later are included.",
              into(o.group));
  logs.option("-c,--container", "NAME", "The container, if the pod has several.", into(o.container));
  logs.flag("--all-containers", "Print all containers of the pod, with the container in front of each line.",
            &o.all_containers);
  logs.flag("-f,--follow", "Keep printing new lines as they are written.", &o.follow);
  logs.flag("--prefix", "", &words.prefix).hidden = true;
  logs.flag("-t,--timestamps", "Print each line's time in front of it.", &o.timestamps);
  logs.flag("-p,--previous",
            "Print the log of the container's previous run. With a flow's id, print the run before "
            "that one.",
            &o.previous);
  logs.option("--stream", "STREAM", "Print only stdout, or only stderr.",
              one_of({"stdout", "stderr"}, o.stream));
  logs.option("--tail", "N", "Print only the last N lines of each container; -1: all.", into(words.tail));
  logs.option("--lines", "", "", into(words.tail)).hidden = true;
  logs.option("--since", "WHEN",
              "Print only lines from then on: 30s, 1h30m or 2d ago; a time, such as "
              "2026-01-02T03:04:05Z or \"2026-01-02 03:04\"; yesterday, or now.",
              into(words.since));
  logs.option("-S", "", "", into(words.since)).hidden = true;
  logs.option("--since-time", "TIME", "The same as --since; kubectl has this name.", into(words.since_time));
  logs.option("--limit-bytes", "N", "End the output after N bytes.", number(0, kMost, words.limit_bytes));
  // Nothing limits how many logs are followed, no error of one ends the others, and nothing is shown in a pager.
  add_taken(logs, {"--ignore-errors", "--insecure-skip-tls-verify-backend", "--no-tail", "--utc",
                   "--no-hostname", "--no-follow"});
  logs.option("--max-log-requests", "", "").hidden = true;
  return logs;
}

command_line::Command tap_of(Arguments& arguments) {
  command_line::Command tap{
      "tap", "Follow what a running process writes to its outputs, from now on, without touching it."};
  tap.positional("PID", "The process id, as the host sees it.", number(1, kMostPids, arguments.tap.pid))
      .required = true;
  tap.flag("--stdout", "Follow only its standard output.", &arguments.only_out);
  tap.flag("--stderr", "Follow only its standard error.", &arguments.only_err);
  return tap;
}

command_line::Command why_of(Arguments& arguments) {
  WhyOptions& o = arguments.why;
  command_line::Command why{"why",
                            "Explain why a pod was placed where it is, or nowhere, and how its "
                            "containers ended. Without a pod, print a line for each pod."};
  why.positional("NAMESPACE/POD",
                 "A pod; or the name of a container that is in no pod, or of a systemd service: then the "
                 "answer is how it ended.",
                 into(o.of));
  why.option("--from", "FILE",
             "Read a scheduler's saved log instead of asking flowtapd: as the scheduler wrote it, or as a "
             "container runtime, journalctl, kubectl, a log collector or an export saved it, gzipped or not. "
             "- is standard input. May be given several times.",
             into(o.from))
      .repeatable = true;
  why.option("-n,--namespace", "NS",
             "The pod's namespace, instead of NAMESPACE/; without a pod, show only its pods.",
             into(arguments.why_ns));
  why.flag("-w,--watch", "Print the answer again whenever it changes, until the pod is bound.", &o.watch);
  why.flag("--evidence",
           "Add the log line behind each verdict. With -o json, also add the attempt's number and the "
           "attempts before it.",
           &o.evidence);
  return why;
}

}  // namespace

command_line::Command program_of(Arguments& arguments) {
  command_line::Command program{
      "flowtap", "flowtap: shows what the flowtapd of this machine counts, captures and explains"};
  program.flag("-h,--help", "Print this text and exit.").asks_for_help = true;
  program.flag("--version", "Print the version and exit.");
  add_taken(program, {"--no-pager"});
  program.option("--state-dir", "DIR", "The folder with flowtapd's socket.", into(arguments.state_dir))
      .shown_default = arguments.state_dir;
  program.option("-o,--output", "FORMAT",
                 "Print text (the default), json, or otel (only with logs): one OpenTelemetry log record "
                 "in JSON per line.",
                 one_of({"text", "json", "otel"}, arguments.output));
  program.option("--color", "WHEN",
                 "auto (the default: on a terminal, unless NO_COLOR is set), always or never.",
                 one_of({"auto", "always", "never"}, arguments.color));
  const command_line::Command status{"status", "Show what runs, what is missing, and what to do about it."};
  program.commands = {status,
                      top_of(arguments),
                      flows_of(arguments.flows),
                      logs_of(arguments.logs),
                      tap_of(arguments),
                      why_of(arguments)};
  return program;
}

std::string_view accepted_by(std::string_view flag) {
  static const std::string kSorts = pod_column_words();
  if (flag == "--sort") return kSorts;
  const auto* const rule = std::ranges::find(kRules, flag, &Rule::flag);
  return rule == kRules.end() ? std::string_view() : rule->accepted;
}

}  // namespace flowtap::cli
