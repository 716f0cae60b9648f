// Tabs and line ends that a program shows by signs, as cat -A does, and editors that list what is not seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flowtap::cli {

/// Of one file. Such a program marks each line, so the first ones tell whether it was one: a value may end with a sign, too.
class ShownControls {
 public:
  /// The line as it was written.
  [[nodiscard]] std::string_view undo(std::string_view line);

 private:
  std::uint8_t looked_at_ = 0;  // lines that are not empty
  std::string_view end_;        // the sign at each line's end; empty: there is none
  std::string_view tab_;
  std::string undone_;
};

}  // namespace flowtap::cli
