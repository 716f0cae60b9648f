#include "tests/support/net/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace flowtap::test {
namespace {

constexpr time_t kTimeoutSeconds = 30;
constexpr std::string_view kLength = "\r\nContent-Length: ";

Fd stream_socket(int family) {
  Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) throw std::runtime_error("cannot make a socket");
  const timeval limit{kTimeoutSeconds, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  return fd;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool send_all(const Fd& fd, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = ::send(fd.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

// The answer must be as long as its header says; one that was cut off does not count.
bool whole(const HttpAnswer& answer) {
  const auto at = answer.headers.find(kLength);
  if (at == std::string::npos) return true;
  return std::strtoull(answer.headers.c_str() + at + kLength.size(), nullptr, 10) == answer.body.size();
}

// HTTP 1.0: with any server, the answer ends with the connection, and there are no chunks.
bool ask(const Fd& fd, const std::string& path, const std::string& header = {}) {
  return send_all(fd, "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n" + header + "\r\n");
}

}  // namespace

HttpAnswer read_answer(const Fd& connection) {
  std::string all;
  std::array<char, 65536> chunk{};
  ssize_t n = 0;
  while ((n = ::recv(connection.get(), chunk.data(), chunk.size(), 0)) > 0)
    all.append(chunk.data(), static_cast<std::size_t>(n));
  const auto end = all.find("\r\n\r\n");
  if (n < 0 || !all.starts_with("HTTP/1.") || end == std::string::npos) return {};
  const HttpAnswer answer{std::atoi(all.c_str() + all.find(' ')), all.substr(0, end), all.substr(end + 4)};
  return whole(answer) ? answer : HttpAnswer{};
}

HttpAnswer get_tcp(std::uint16_t port, const std::string& path, const std::string& header) {
  const Fd fd = stream_socket(AF_INET);
  const sockaddr_in to = loopback(port);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) return {};
  return ask(fd, path, header.empty() ? header : header + "\r\n") ? read_answer(fd) : HttpAnswer{};
}

Fd ask_unix(const std::string& socket_path, const std::string& path) {
  Fd fd = stream_socket(AF_UNIX);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof(to.sun_path)) throw std::runtime_error(socket_path + " is too long");
  std::memcpy(to.sun_path, socket_path.data(), socket_path.size());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) return {};
  return ask(fd, path) ? std::move(fd) : Fd();
}

HttpAnswer get_unix(const std::string& socket_path, const std::string& path) {
  const Fd fd = ask_unix(socket_path, path);
  return fd.valid() ? read_answer(fd) : HttpAnswer{};
}

std::uint16_t free_port() {
  const Fd fd = stream_socket(AF_INET);
  sockaddr_in at = loopback(0);
  socklen_t size = sizeof(at);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0)
    throw std::runtime_error("cannot find a free port");
  return ntohs(at.sin_port);
}

}  // namespace flowtap::test
