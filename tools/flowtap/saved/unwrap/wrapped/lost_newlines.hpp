// Lines that stand in one line, since something else stands in the place of their newlines: what a syslog writes for control
// characters, what a tool or an editor separates lines by, or a page's tags.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

using TakeLine = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

/// Gives `take` the lines of a record, and of those behind it, each of them behind what stands before the first one. False: the line
/// has no such newline, and nothing was given.
[[nodiscard]] bool give_lost_lines(std::string_view line, bool full, std::uint64_t time,
                                   const TakeLine& take);

/// The line without the newline that a syslog has put at its end.
[[nodiscard]] std::string_view without_written_newline(std::string_view line);

/// The line with tabs where a syslog has written signs in their place, if it begins with one behind what a tool has put there: klog
/// begins the lines of a value so. It is put into `buffer` if it differs.
[[nodiscard]] std::string_view with_tabs(std::string_view line, std::string& buffer);

/// The rows of a page's table or list in which records stand, one behind the other; else the line alone.
[[nodiscard]] std::vector<std::string_view> rows_of_page(std::string_view line);

}  // namespace flowtap::cli
