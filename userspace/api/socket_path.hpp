// The path of the socket on which clients find the daemon.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::api {

inline constexpr std::string_view kDefaultStateDir = "/run/flowtap";

/// The API's socket in a state directory.
[[nodiscard]] inline std::string socket_path(std::string_view state_dir) {
  return std::string(state_dir) + "/api.sock";
}

}  // namespace flowtap::api
