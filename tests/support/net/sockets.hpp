// Receivers on real sockets for tests. They keep what they read, and can stop in several ways.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace flowtap::stats::test {

inline sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof(address.sun_path) - 1));
  return address;
}

/// A bound socket on this machine; port 0 takes a free one. Invalid if it could not be bound.
inline Fd bind_inet(int type, int port) {
  Fd fd(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return {};
  const int on = 1;
  if (type == SOCK_STREAM) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0) return {};
  return fd;
}

inline Fd bind_unix(int type, const std::string& path) {
  ::unlink(path.c_str());
  Fd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return {};
  const sockaddr_un at = unix_address(path);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof(at)) != 0) return {};
  return fd;
}

inline int port_of(const Fd& fd) {
  sockaddr_in at{};
  socklen_t size = sizeof(at);
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

/// Receives packets, one per read.
class PacketReceiver {
 public:
  PacketReceiver(Fd fd, std::function<void(const std::string&)> take)
      : fd_(std::move(fd)), take_(std::move(take)) {}

  /// Everything that is there now.
  void drain() {
    std::string packet(65536, '\0');
    while (true) {
      const ssize_t n = ::recv(fd_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
      if (n < 0 || (n == 0 && ended_)) return;
      if (n > 0) take_(packet.substr(0, static_cast<std::size_t>(n)));
    }
  }
  /// Accepts no more packets, reads those that it has, and closes: no packet that the socket accepted is lost.
  void stop() {
    ended_ = true;
    ::shutdown(fd_.get(), SHUT_RD);
    drain();
    fd_.reset();
  }

 private:
  Fd fd_;
  std::function<void(const std::string&)> take_;
  bool ended_ = false;
};

/// Accepts one connection after the other, and hands over the bytes of each when it ends.
class StreamReceiver {
 public:
  StreamReceiver(Fd listener, std::function<void(const std::string&)> take)
      : listener_(std::move(listener)), take_(std::move(take)) {
    ::listen(listener_.get(), 8);
  }

  StreamReceiver(const StreamReceiver&) = delete;
  StreamReceiver& operator=(const StreamReceiver&) = delete;
  ~StreamReceiver() { disconnect(); }

  /// Accepts if necessary, and reads at most `limit` bytes.
  void read(std::size_t limit = 1U << 20U) {
    if (!fd_.valid()) fd_ = Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    std::string chunk(4096, '\0');
    while (fd_.valid() && limit > 0) {
      const ssize_t n = ::recv(fd_.get(), chunk.data(), std::min(chunk.size(), limit), 0);
      if (n < 0) return;
      if (n == 0) return disconnect();
      bytes_.append(chunk, 0, static_cast<std::size_t>(n));
      limit -= static_cast<std::size_t>(n);
    }
  }
  [[nodiscard]] bool has_line() const { return bytes_.ends_with('\n'); }
  /// Ends the connection; unread bytes are lost, as when a process is killed.
  void disconnect() {
    fd_.reset();
    take_(bytes_);
    bytes_.clear();
  }

 private:
  Fd listener_;
  Fd fd_;
  std::string bytes_;
  std::function<void(const std::string&)> take_;
};

}  // namespace flowtap::stats::test
