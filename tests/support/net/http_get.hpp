// One GET over a plain socket.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "base/fd.hpp"

namespace flowtap::test {

/// The whole response, headers included; empty if there was none.
inline std::string http_get(int port, const std::string& path) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) return {};
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};
  std::string response;
  std::string chunk(65536, '\0');
  ssize_t n = 0;
  while ((n = ::recv(fd.get(), chunk.data(), chunk.size(), 0)) > 0)
    response.append(chunk, 0, static_cast<std::size_t>(n));
  return response;
}

}  // namespace flowtap::test
