// Tabs and line ends that a program shows by signs, as cat -A does, and editors that list what is not seen.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

class ShownControls {
 public:
  /// The line as it was written, if it ends with such a sign.
  [[nodiscard]] std::string_view undo(std::string_view line);

 private:
  std::string undone_;
};

}  // namespace flowtap::cli
