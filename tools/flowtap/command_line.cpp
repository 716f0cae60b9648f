#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <optional>

#include "arguments.hpp"
#include "base/flows/flow_run.hpp"
#include "base/printable.hpp"
#include "client.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kHelpHint = "flowtap --help lists all commands and flags";

ExitCode usage(std::string what, std::string_view hint = kHelpHint) {
  complain({std::move(what), std::string(hint), 0});
  return kUsage;
}

/// What CLI11 found wrong, as a sentence. CLI11's own text begins with the flag and a colon, and changes with its
/// version.
ExitCode explain(const CLI::ParseError& error) {
  const std::string_view message = error.what();
  const std::string_view flag = message.substr(0, message.find(':'));
  if (error.get_name() == "RequiredError")
    return usage(printable(message),
                 message.starts_with("PID") ? "flowtap tap PID" : "flowtap logs NAMESPACE/POD");
  if (error.get_name() == "ArgumentMismatch") return usage(printable(flag) + " needs one value");
  const std::string_view accepted = accepted_by(flag);
  if (accepted.empty()) return usage("bad command line: " + printable(message));
  return usage(fmt::format("this value of {} is not accepted; accepted: {}", flag, accepted));
}

ExitCode unknown(const CLI::App& app, std::string_view word) {
  if (word.starts_with('-')) return usage("unknown flag " + in_quotes(word));
  if (!app.get_subcommands().empty()) return usage("unexpected argument " + in_quotes(word));
  std::string commands;
  for (const auto* command : app.get_subcommands(nullptr))
    commands += (commands.empty() ? "" : ", ") + command->get_name();
  return usage(fmt::format("unknown command {}; commands: {}", in_quotes(word), commands));
}

/// What is wrong with a combination of flags; empty: nothing.
std::string wrong_logs(const LogsOptions& options) {
  if (options.of.empty() && options.group.empty()) return "logs needs a pod, a flow or a group";
  if (!options.of.empty() && !options.group.empty()) return "logs takes a pod or a group, not both";
  if (options.previous && (options.all_containers || !options.group.empty()))
    return "--previous needs one container";
  if (options.all_containers && !options.container.empty())
    return "--all-containers and --container exclude each other";
  if (!options.stream.empty() && options.tail) return "--stream and --tail exclude each other";
  if (!is_flow(options.of) && !is_name(options.of)) return {};
  if (options.all_containers) return "--all-containers needs a pod: a flow belongs to one container";
  if (!options.container.empty()) return "--container needs a pod: a flow belongs to one container";
  if (options.previous && !is_name(options.of) && !options.of.starts_with("pod/") && !has_runs(options.of))
    return "--previous needs a pod or a container: all else goes on in one log";
  return {};
}

std::string wrong_top(const CLI::App& top) {
  if (top.count("--pods") > 0) return {};
  for (const char* flag : {"--containers", "--ended", "--namespace", "--sort"})
    if (top.count(flag) > 0) return std::string(flag) + " needs --pods";
  return {};
}

Color color_of(const Arguments& arguments) {
  if (arguments.color == "auto") return Color::kAuto;
  return arguments.color == "always" ? Color::kAlways : Color::kNever;
}

std::variant<Command, ExitCode> command_of(const CLI::App& app, Arguments& arguments) {
  const bool json = arguments.output == "json";
  if (arguments.output == "otel" && !app.got_subcommand("logs"))
    return usage("only the command logs takes -o otel", "flowtap logs NAMESPACE/POD -o otel");
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
      return usage(wrong, "flowtap logs NAMESPACE/POD, flowtap logs NAME, or flowtap logs --group GROUP");
    return arguments.logs;
  }
  if (app.got_subcommand("tap")) {
    arguments.tap.json = json;
    arguments.tap.state_dir = arguments.state_dir;
    arguments.tap.out = arguments.only_out || !arguments.only_err;
    arguments.tap.err = arguments.only_err || !arguments.only_out;
    return arguments.tap;
  }
  if (app.got_subcommand("why")) {
    arguments.why.state_dir = arguments.state_dir;
    arguments.why.json = json;
    arguments.why.color = color_of(arguments);
    if (const std::string wrong = wrong_why(arguments.why); !wrong.empty())
      return usage(wrong, "flowtap why [NAMESPACE/POD] [--from FILE]..., or flowtap why NAME");
    return arguments.why;
  }
  TopOptions& top = arguments.top;
  top.state_dir = arguments.state_dir;
  top.run = {.json = json,
             .interval = std::chrono::milliseconds(arguments.interval_ms),
             .count = arguments.count > 0 ? std::optional(arguments.count) : std::nullopt,
             .color = color_of(arguments)};
  if (const std::string wrong = wrong_top(*app.get_subcommand("top")); !wrong.empty())
    return usage(wrong, "flowtap top --pods");
  return top;
}

}  // namespace

std::variant<Command, ExitCode> parse_command_line(int argc, const char* const* argv) {
  CLI::App app("flowtap: shows what the flowtapd of this machine counts, captures and explains", "flowtap");
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
