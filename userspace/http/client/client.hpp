// The other end of the socket: how the CLI asks.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"

namespace flowtap::http {

struct Reply {
  unsigned status = 0;
  std::string body;
};

/// One GET. An Error whose code is ENOENT or ECONNREFUSED means that no flowtapd listens there; a refusal by the daemon
/// itself is a Reply with its status.
[[nodiscard]] Result<Reply> fetch(const std::string& socket_path, const std::string& target,
                                  std::chrono::milliseconds timeout = std::chrono::seconds(5));

/// The "error" and "hint" of a refusal's body, as an Error.
[[nodiscard]] Error refusal(const Reply& reply);

}  // namespace flowtap::http
