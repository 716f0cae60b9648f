// Who listens on a Unix socket, as the kernel says.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace flowtap::http {

/// The process that called listen(2), which may be another one than the one that answers.
struct Listener {
  pid_t pid = 0;     ///< 0: it is in another pid namespace, or not known
  std::string comm;  ///< the name that it gives itself; empty: it is gone, or not known

  /// "process 25291 (python3)"; text from outside is shown escaped.
  [[nodiscard]] std::string words() const;
};

/// Of a socket that is connected to it.
[[nodiscard]] Listener listener_of(int socket);

/// Asks by a connection. Absent: nobody listens on `path`. Of somebody whose queue is full nothing is known.
[[nodiscard]] std::optional<Listener> listener_on(const std::string& path);

}  // namespace flowtap::http
