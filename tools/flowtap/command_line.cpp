#include "command_line.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "arguments.hpp"
#include "base/printable.hpp"
#include "client.hpp"
#include "log_words.hpp"
#include "other_tools.hpp"
#include "pod_words.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kHelpHint = "flowtap --help lists all commands and flags";

ExitCode usage(std::string what, std::string_view hint = kHelpHint) {
  complain({std::move(what), std::string(hint), 0});
  return kUsage;
}

ExitCode usage(Error error) {
  return usage(std::move(error.what), error.hint.empty() ? kHelpHint : error.hint);
}

ExitCode explain(const command_line::Problem& problem) {
  using enum command_line::Fault;
  switch (problem.fault) {
    case kNotGiven:  // only tap has a positional that is required
      return usage(problem.name + " is required", "flowtap tap PID");
    case kNoValue:
      return usage(problem.name + " needs one value");
    case kRefusedValue:
      return usage(fmt::format("this value of {} is not accepted; accepted: {}", problem.name,
                               accepted_by(problem.name)));
    case kOther:
      break;
  }
  return usage("bad command line: " + printable(problem.text));
}

ExitCode unknown(const command_line::Command& program, std::string_view command, std::string_view word) {
  if (word.starts_with('-')) {
    if (const auto* other = find_other_tools(flags_of_other_tools(), command, word))
      return usage(
          fmt::format("flowtap{}{} does not have {}", command.empty() ? "" : " ", command, in_quotes(word)),
          other->instead);
    return usage("unknown flag " + in_quotes(word));
  }
  const auto* const other = find_other_tools(commands_of_other_tools(), command, word);
  if (!command.empty())
    return usage("unexpected argument " + in_quotes(word), other != nullptr ? other->instead : kHelpHint);
  if (other != nullptr) return usage("unknown command " + in_quotes(word), other->instead);
  std::string commands;
  for (const auto& known : program.commands) commands += (commands.empty() ? "" : ", ") + known.name;
  return usage(fmt::format("unknown command {}; commands: {}", in_quotes(word), commands));
}

std::string wrong_top(const command_line::Given& given) {
  if (given.has("--pods")) return {};
  for (const char* flag : {"--containers", "--ended", "--namespace", "--sort"})
    if (given.has(flag)) return std::string(flag) + " needs --pods";
  return {};
}

Color color_of(const Arguments& arguments) {
  if (arguments.color == "auto") return Color::kAuto;
  return arguments.color == "always" ? Color::kAlways : Color::kNever;
}

std::variant<Command, ExitCode> command_of(const command_line::Given& given, Arguments& arguments) {
  const bool json = arguments.output == "json";
  if (arguments.output == "otel" && given.command != "logs")
    return usage("only the command logs takes -o otel", "flowtap logs NAMESPACE/POD -o otel");
  if (given.command == "status") return StatusOptions{arguments.state_dir, json, color_of(arguments)};
  if (given.command == "flows") {
    arguments.flows.state_dir = arguments.state_dir;
    arguments.flows.json = json;
    arguments.flows.color = color_of(arguments);
    return arguments.flows;
  }
  if (given.command == "logs") {
    LogsOptions& logs = arguments.logs.options;
    logs.state_dir = arguments.state_dir;
    logs.json = json;
    logs.otel = arguments.output == "otel";
    logs.color = color_of(arguments);
    const auto now = std::chrono::system_clock::now();
    auto options = logs_options(arguments.logs, now);
    if (!options) return usage(options.error());
    if (!options->follow && options->since_time && *options->since_time >= now)
      complain(
          {"--since leaves out all that has been written so far", "-f prints what comes from then on", 0});
    return *options;
  }
  if (given.command == "tap") {
    arguments.tap.json = json;
    arguments.tap.state_dir = arguments.state_dir;
    arguments.tap.out = arguments.only_out || !arguments.only_err;
    arguments.tap.err = arguments.only_err || !arguments.only_out;
    return arguments.tap;
  }
  if (given.command == "why") {
    arguments.why.state_dir = arguments.state_dir;
    arguments.why.json = json;
    arguments.why.color = color_of(arguments);
    auto of = with_namespace(arguments.why_ns, arguments.why.of);
    if (!of) return usage(of.error());
    arguments.why.of = std::move(*of);
    arguments.why.ns = arguments.why_ns;
    if (const std::string wrong = wrong_why(arguments.why); !wrong.empty())
      return usage(wrong, "flowtap why [NAMESPACE/POD] [--from FILE]..., or flowtap why NAME");
    return arguments.why;
  }
  TopOptions& top = arguments.top;
  top.state_dir = arguments.state_dir;
  top.run = {.json = json,
             .interval = arguments.interval,
             .count = arguments.count > 0 ? std::optional(arguments.count) : std::nullopt,
             .color = color_of(arguments)};
  if (const std::string wrong = wrong_top(given); !wrong.empty()) return usage(wrong, "flowtap top --pods");
  return top;
}

}  // namespace

std::variant<Command, ExitCode> parse_command_line(int argc, const char* const* argv) {
  Arguments arguments;
  const command_line::Command program = program_of(arguments);
  const auto given = command_line::parse(program, {argv, static_cast<std::size_t>(argc)});
  if (!given.help.empty()) {
    std::fputs(given.help.c_str(), stdout);
    return kOk;
  }
  if (given.problem) return explain(*given.problem);
  if (given.has("--version")) {
    std::puts("flowtap " FLOWTAP_VERSION);
    return kOk;
  }
  if (!given.unknown.empty()) return unknown(program, given.command, given.unknown.front());
  if (given.command.empty())
    return usage("no command is given", "flowtap status, or flowtap flows; --help says more");
  return command_of(given, arguments);
}

}  // namespace flowtap::cli
