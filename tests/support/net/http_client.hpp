// One GET, over TCP to 127.0.0.1 or over a Unix socket.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.hpp"

namespace flowtap::test {

struct HttpAnswer {
  int status = 0;  ///< 0: there was no answer, or not all of it
  std::string headers;
  std::string body;
};

/// `header`: an additional one, such as "Authorization: Bearer TOKEN".
[[nodiscard]] HttpAnswer get_tcp(std::uint16_t port, const std::string& path, const std::string& header = {});
[[nodiscard]] HttpAnswer get_unix(const std::string& socket_path, const std::string& path);

/// Sends such a GET and returns the connection, on which the whole answer comes until the connection ends; invalid if
/// nobody listens.
[[nodiscard]] Fd ask_unix(const std::string& socket_path, const std::string& path);
[[nodiscard]] HttpAnswer read_answer(const Fd& connection);

/// A port of 127.0.0.1 that is free at the moment.
[[nodiscard]] std::uint16_t free_port();

}  // namespace flowtap::test
