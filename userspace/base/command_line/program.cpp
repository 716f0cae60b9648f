#include "base/command_line/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace flowtap::command_line {
namespace {

/// An option of ours, and what CLI11 made of it.
struct Declared {
  std::string name;  ///< the last one
  CLI::Option* option;
  bool hidden;
};

CLI::Option* declare_value(CLI::App& app, const Option& option) {
  CLI::Option* const declared = app.add_option(option.names, option.help)
                                    ->type_name(option.value_name)
                                    ->default_str(option.shown_default)
                                    ->required(option.required);
  if (option.repeatable) {
    declared->expected(1, CLI::detail::expected_max_vector_size);
  } else {
    // The last one counts, so that a shell's alias can be overruled.
    declared->expected(option.value_is_optional ? 0 : 1, 1)->take_last();
  }
  if (option.accept)
    declared->check(
        [&accept = option.accept](const std::string& value) { return accept(value) ? "" : "refused"; });
  return declared;
}

CLI::Option* declare_flag(CLI::App& app, const Option& option) {
  if (option.asks_for_help) return app.set_help_flag(option.names, option.help);
  if (option.on != nullptr) return app.add_flag(option.names, *option.on, option.help);
  return app.add_flag(option.names, option.help);
}

void declare(CLI::App& app, const Command& command, std::vector<Declared>& all) {
  for (const Option& option : command.options) {
    CLI::Option* const declared =
        option.kind == Option::Kind::kFlag ? declare_flag(app, option) : declare_value(app, option);
    all.push_back({option.names.substr(option.names.rfind(',') + 1), declared, option.hidden});
  }
  for (const Command& other : command.commands)
    declare(*app.add_subcommand(other.name, other.help), other, all);
}

std::vector<Declared> declare_all(CLI::App& app, const Command& program) {
  std::vector<Declared> all;
  app.set_help_flag();  // without a name: none
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.allow_extras();
  declare(app, program, all);
  return all;
}

/// CLI11 says whose problem it is only at the beginning of its text.
Problem problem_of(Fault fault, const CLI::Error& error, std::string_view behind_name) {
  const std::string text = error.what();
  return {.fault = fault, .name = text.substr(0, text.find(behind_name)), .text = text};
}

/// Only here are options hidden: what CLI11 says of a hidden one does not name it.
std::string help_text(const CLI::App& app, const std::vector<Declared>& all) {
  for (const Declared& one : all)
    if (one.hidden) one.option->group("");
  return app.help("", CLI::AppFormatMode::All);
}

}  // namespace

Option& Command::option(std::string_view names, std::string_view value_name, std::string_view text,
                        Accept accept) {
  return options.emplace_back(Option{.kind = Option::Kind::kOption,
                                     .names = std::string(names),
                                     .value_name = std::string(value_name),
                                     .help = std::string(text),
                                     .accept = std::move(accept)});
}

Option& Command::flag(std::string_view names, std::string_view text, bool* on) {
  return options.emplace_back(
      Option{.kind = Option::Kind::kFlag, .names = std::string(names), .help = std::string(text), .on = on});
}

Option& Command::positional(std::string_view shown_name, std::string_view text, Accept accept) {
  return options.emplace_back(Option{.kind = Option::Kind::kPositional,
                                     .names = std::string(shown_name),
                                     .help = std::string(text),
                                     .accept = std::move(accept)});
}

std::string Given::value_of(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

Given parse(const Command& program, std::span<const char* const> words) {
  Given given;
  CLI::App app(program.help, program.name);
  std::vector<Declared> all;
  try {
    all = declare_all(app, program);
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForHelp&) {
    given.help = help_text(app, all);
  } catch (const CLI::ArgumentMismatch& error) {
    given.problem = problem_of(Fault::kNoValue, error, ":");
  } catch (const CLI::ValidationError& error) {
    given.problem = problem_of(Fault::kRefusedValue, error, ":");
  } catch (const CLI::RequiredError& error) {
    given.problem = problem_of(Fault::kNotGiven, error, " is required");
  } catch (const CLI::Error& error) {
    given.problem = {.fault = Fault::kOther, .text = error.what()};
  }
  for (const Declared& one : all)
    if (!one.option->empty()) given.values.emplace(one.name, one.option->results().back());
  given.unknown = app.remaining(true);
  // The first -- only says that no option comes behind it.
  if (const auto end = std::ranges::find(given.unknown, "--"); end != given.unknown.end())
    given.unknown.erase(end);
  if (const auto commands = app.get_subcommands(); !commands.empty())
    given.command = commands.front()->get_name();
  return given;
}

std::string help_of(const Command& program) {
  CLI::App app(program.help, program.name);
  try {
    return help_text(app, declare_all(app, program));
  } catch (const CLI::Error& error) {
    return error.what();
  }
}

}  // namespace flowtap::command_line
