// The logs in one file, by what collectors call them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

/// Names count only in a file that has several. Collectors leave a name out of some lines, and so the lines with it and those without
/// it would be two logs.
class LogNames {
 public:
  /// A record has this name, as CollectorName::text() gives it, or none.
  void note(std::string_view name);

  /// What the log is called here, also by a name that has other parts than the one that was noted first; empty: it is not told apart
  /// from others. Each log takes memory, and those that come too late are one.
  [[nodiscard]] std::string_view known(std::string_view name);

 private:
  static constexpr std::size_t kMost = 256;

  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> called_;  // the place of a log among the names
};

}  // namespace flowtap::cli
