// What a program accepts on its command line, and what of it was given. CLI11 reads the words. It takes ten seconds to
// compile, so only program.cpp includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::command_line {

/// Takes a value, or refuses it with false. It is called once all words are read: for one option after the other as they were
/// declared, with all values that were given, in their order.
using Accept = std::function<bool(std::string_view value)>;

/// An option, which takes a value; a flag, which takes none; or a positional, which is a value without a name.
struct Option {
  enum class Kind : std::uint8_t { kOption, kFlag, kPositional };
  Kind kind = Kind::kOption;
  std::string names;               ///< "-n,--namespace"; what a positional is called in the help
  std::string value_name = {};     ///< of an option, in the help
  std::string help = {};           ///< what it is for
  std::string shown_default = {};  ///< the default value, in the help
  bool hidden = false;             ///< it is accepted, but not in the help
  bool required = false;           ///< of a positional
  bool value_is_optional = false;  ///< given without a value, an option has an empty one
  bool repeatable = false;         ///< the help shows that an option may be given several times
  bool asks_for_help = false;      ///< of a flag; all commands of the program have it, too
  bool* on = nullptr;              ///< what a flag sets: to true, or to what follows a = (true, no, 0, ...)
  Accept accept = {};              ///< takes what is given; absent: each value is right
};

/// A program, or a word that may follow a program's name and has options of its own.
struct Command {
  std::string name;
  std::string help;                    ///< what it does, in a sentence
  std::vector<Option> options = {};    ///< in the order of the help; a program's may stand behind a command
  std::vector<Command> commands = {};  ///< of a program: one of them may be given

  // Each adds one. What they return is valid until the next one is added.
  Option& option(std::string_view names, std::string_view value_name, std::string_view text,
                 Accept accept = {});
  Option& flag(std::string_view names, std::string_view text, bool* on = nullptr);
  Option& positional(std::string_view shown_name, std::string_view text, Accept accept = {});
};

enum class Fault : std::uint8_t {
  kNoValue,       ///< nothing follows an option that needs a value
  kRefusedValue,  ///< by Option::accept
  kNotGiven,      ///< a required positional
  kOther,         ///< only `text` says what
};

struct Problem {
  Fault fault = Fault::kOther;
  std::string name = {};  ///< the option's, if possible a long one; empty with kOther
  std::string text = {};  ///< CLI11's words, which are no sentence and change with its version
};

/// What was given, up to the first problem.
struct Given {
  std::string command = {};  ///< empty: none
  /// The last value of each option, flag and positional that was given, by the last of its names. A flag's is "true", or what
  /// follows a =.
  std::map<std::string, std::string, std::less<>> values = {};
  std::vector<std::string> unknown = {};  ///< what nothing accepts
  std::string help = {};  ///< if it was asked for: that of the command, or else of the program
  std::optional<Problem> problem = {};

  [[nodiscard]] bool has(std::string_view name) const { return values.contains(name); }
  /// Empty, too, if it was not given.
  [[nodiscard]] std::string value_of(std::string_view name) const;
};

/// Reads the words that main() got; the first one is the program. That nothing accepts a word is no problem for it: the caller
/// knows best what to say then.
[[nodiscard]] Given parse(const Command& program, std::span<const char* const> words);

/// The help for the whole program.
[[nodiscard]] std::string help_of(const Command& program);

}  // namespace flowtap::command_line
