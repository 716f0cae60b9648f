// One GET, over TCP to 127.0.0.1 or over a Unix socket.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.hpp"

namespace flowtap::test {

struct HttpAnswer {
  int status = 0;  ///< 0: nobody answered, or not to the end
  std::string headers;
  std::string body;
};

/// `header`: one more, such as "Authorization: Bearer TOKEN".
[[nodiscard]] HttpAnswer get_tcp(std::uint16_t port, const std::string& path, const std::string& header = {});
[[nodiscard]] HttpAnswer get_unix(const std::string& socket_path, const std::string& path);

/// The connection on which that GET is asked, and all of its answer comes, to the end of the connection; invalid where
/// nobody is there.
[[nodiscard]] Fd ask_unix(const std::string& socket_path, const std::string& path);
[[nodiscard]] HttpAnswer read_answer(const Fd& connection);

/// A port of 127.0.0.1 that nobody has just now.
[[nodiscard]] std::uint16_t free_port();

}  // namespace flowtap::test
