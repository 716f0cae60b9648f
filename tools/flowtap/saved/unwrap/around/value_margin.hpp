// What stands before the lines of a value of several lines: klog writes a tab, which terminals and editors turn into blanks, journalctl
// puts behind other blanks, and some programs take away.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowtap::cli {

/// klog ends a line by the first before a value of several lines, and begins a line by the second behind it.
inline constexpr std::string_view kValueBegins = "=<";
inline constexpr std::string_view kValueEnds = " >";

class ValueMargin {
 public:
  /// A value begins with the next line.
  void reset() { margin_.reset(); }
  /// Whether the line is one of the value, whatever it says: it has the margin, or ends the value.
  [[nodiscard]] bool holds(std::string_view line) const;
  /// The line as klog wrote it: behind a tab, or with " >" if the value ends. It lives until the next call.
  [[nodiscard]] std::string_view undo(std::string_view line);

 private:
  [[nodiscard]] bool is_end(std::string_view blanks) const;

  std::optional<std::string> margin_;  // of the value's first line
  std::string buffer_;
};

}  // namespace flowtap::cli
