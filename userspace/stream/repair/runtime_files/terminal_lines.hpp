// Gives what a runtime has kept of a terminal as it was written there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "stream/repair/runtime_files/runtime_line.hpp"

namespace flowtap::flow {

/// The line discipline puts "\r" before each newline on its way to the runtime (ONLCR, termios(3)). The runtime may have read the
/// two apart.
class TerminalLines {
 public:
  /// `take(const RuntimeLine&)` gets the line, and before it what was held back of the one before.
  template <typename Take>
  void add(RuntimeLine line, Take&& take) {
    auto& held = held_.at(line.output == "stderr" ? 1 : 0);
    const bool ends = line.full && line.text.empty();
    if (const auto time = std::exchange(held, std::nullopt); time && !ends)
      take(return_of(line.output, *time));
    if (line.text.ends_with('\r')) {
      line.text.remove_suffix(1);
      if (!line.full) held = line.time;
      if (!line.full && line.text.empty()) return;
    }
    take(line);
  }

  /// There are no more lines for now.
  template <typename Take>
  void finish(Take&& take) {
    for (const std::string_view output : {"stdout", "stderr"})
      if (const auto time = std::exchange(held_.at(output == "stderr" ? 1 : 0), std::nullopt))
        take(return_of(output, *time));
  }

 private:
  static RuntimeLine return_of(std::string_view output, std::uint64_t time) {
    return {time, output, false, "\r"};
  }

  std::array<std::optional<std::uint64_t>, 2> held_;  // the time of a "\r" that ended a part
};

}  // namespace flowtap::flow
