#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
  const auto given = app.get_subcommands();
  const std::string command = given.empty() ? "" : given.front()->get_name();
  if (word.starts_with('-')) {
    if (const auto* other = find_other_tools(flags_of_other_tools(), command, word))
      return usage(
          fmt::format("flowtap{}{} does not have {}", command.empty() ? "" : " ", command, in_quotes(word)),
          other->instead);
    return usage("unknown flag " + in_quotes(word));
  }
  const auto* const other = find_other_tools(commands_of_other_tools(), command, word);
  if (!given.empty())
    return usage("unexpected argument " + in_quotes(word), other != nullptr ? other->instead : kHelpHint);
  if (other != nullptr) return usage("unknown command " + in_quotes(word), other->instead);
  std::string commands;
  for (const auto* known : app.get_subcommands(nullptr))
    commands += (commands.empty() ? "" : ", ") + known->get_name();
  return usage(fmt::format("unknown command {}; commands: {}", in_quotes(word), commands));
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
