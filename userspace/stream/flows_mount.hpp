// DIR/flows: a tmpfs of our own, so that no amount of log can fill the node's memory or disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace flowtap {

struct FlowsLimit {
  std::uint64_t bytes = 0;
  std::uint64_t flows = 0;  ///< each of them may have a file
};

struct FlowsMount {
  std::string path;
  bool capped = false;  ///< it is a tmpfs of its own, with our limit
  std::string warning;  ///< why it is not, in one sentence; empty where it is
};

[[nodiscard]] inline std::string flows_path(const std::string& state_dir) {
  return state_dir + "/flows";
}

/// Makes DIR/flows and mounts a tmpfs with this limit on it, mode 0750. If one is there from before, its limit is set anew. It is
/// never unmounted, since what it holds outlives the service. If mounting is refused, the plain directory is used: losing the
/// limit is better than losing the logs. An Error: there is no directory.
[[nodiscard]] Result<FlowsMount> mount_flows(const std::string& state_dir, const FlowsLimit& limit);

/// How much memory DIR/flows takes; 0 where nothing is mounted there.
[[nodiscard]] std::uint64_t flows_held(const std::string& state_dir);

/// The directory that it is mounted on. A symbolic link is refused: whoever can make one there could otherwise choose where we
/// mount.
[[nodiscard]] Status make_flows_dir(const std::string& path);

/// Since when it holds what was captured. A reboot of the node takes it away with all that is in it.
struct FlowsSince {
  std::optional<std::chrono::system_clock::time_point> time;  ///< absent: nothing can be written there
  bool is_new = false;                                        ///< it begins with this start
};

inline constexpr const char* kSinceFile = ".since";

/// Read from DIR/.since, or written there.
[[nodiscard]] FlowsSince flows_since(const std::string& dir, std::chrono::system_clock::time_point now);

}  // namespace flowtap
