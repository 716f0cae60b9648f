// What stands around a line of kubectl's that was copied: out of a mail, an editor, grep's output, a terminal or a chat.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

/// The line with blanks where pages have some that do not break.
[[nodiscard]] std::string with_blanks(std::string_view line);

/// The line without the signs by which mails quote it: "> > x".
[[nodiscard]] std::string_view without_quote_signs(std::string_view line);

/// A mail has quoted the line, a program has numbered it, or a table has a border: "> > x", "    12\tx", "12:x", "a.txt:12:x", "| x |",
/// and what was copied is indented by a tab.
[[nodiscard]] std::string_view without_margin(std::string_view line);

/// The line without a shell's prompt that it begins with, if what kubectl prints begins behind it. A terminal writes over a prompt and
/// its command that stand before a carriage return.
[[nodiscard]] std::string_view without_prompt(std::string_view line);

/// The line without what opens and closes a block of code in Markdown, Jira or HTML: "```x", "{code:bash}x", "x{noformat}".
[[nodiscard]] std::string_view without_fence(std::string_view line);

/// The same, only without what closes one.
[[nodiscard]] std::string_view without_block_end(std::string_view line);

}  // namespace flowtap::cli
