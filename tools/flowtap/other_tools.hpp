// What people type because kubectl, docker, podman, journalctl, stern or top has it, and what they type here instead.
#pragma once

#include <span>
#include <string_view>

namespace flowtap::cli {

struct OtherTools {
  std::string_view command;  ///< of flowtap; empty: any
  std::string_view words;    ///< flags, or names of commands, with spaces between
  std::string_view instead;
};

/// Flags that flowtap does not have.
[[nodiscard]] std::span<const OtherTools> flags_of_other_tools();
/// Commands that it does not have, and words behind a command.
[[nodiscard]] std::span<const OtherTools> commands_of_other_tools();

/// The row of a word that was given to this command: "--until", "--until=5m", "-lapp=web". Null: nobody has it.
[[nodiscard]] const OtherTools* find_other_tools(std::span<const OtherTools> rows, std::string_view command,
                                                 std::string_view word);

}  // namespace flowtap::cli
