// Since when the flows' file system holds what was captured: a reboot of the node takes it, and all in it, away.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace flowtap {

struct FlowsSince {
  std::optional<std::chrono::system_clock::time_point> time;  ///< absent: nothing can be written there
  bool is_new = false;                                        ///< from this start on
};

/// Read from DIR/.since, or written there.
[[nodiscard]] FlowsSince flows_since(const std::string& dir, std::chrono::system_clock::time_point now);

}  // namespace flowtap
