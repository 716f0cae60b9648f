#include "stats/backends/sending/connect.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace flowtap::stats {
namespace {

constexpr int kConnectTimeoutMs = 1000;  // the limit that Backend::publish() promises

bool packets(AddressKind kind) {
  return kind == AddressKind::kUdp || kind == AddressKind::kUnixDatagram;
}

/// 0, or the errno of the failed connection.
int connect_within(int fd, const sockaddr* to, socklen_t size) {
  if (::connect(fd, to, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waiting{fd, POLLOUT, 0};
  const int ready = ::poll(&waiting, 1, kConnectTimeoutMs);
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0) return errno;
  int error = 0;
  socklen_t length = sizeof(error);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

Result<Fd> connect_to(int family, int type, const sockaddr* to, socklen_t size, const Address& address) {
  Fd fd(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int error = fd.valid() ? connect_within(fd.get(), to, size) : errno;
  if (error != 0) return fail_errno(error, "cannot reach " + to_string(address), receiver_hint(error));
  return fd;
}

Result<Fd> connect_unix(const Address& address) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof(to.sun_path)) return fail_errno(ENAMETOOLONG, to_string(address));
  std::memcpy(to.sun_path, address.path.data(), address.path.size());
  return connect_to(AF_UNIX, packets(address.kind) ? SOCK_DGRAM : SOCK_STREAM,
                    reinterpret_cast<sockaddr*>(&to), sizeof(to), address);
}

Result<Fd> connect_inet(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = packets(address.kind) ? SOCK_DGRAM : SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0)
    return fail("cannot resolve " + address.host + ": " + ::gai_strerror(error),
                "check the receiver's host name");
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  // Only the first address: trying more would multiply the time that an unreachable host costs.
  return connect_to(found->ai_family, found->ai_socktype, found->ai_addr, found->ai_addrlen, address);
}

}  // namespace

std::string receiver_hint(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "let flowtapd write to the receiver: its socket's owner and mode, or a firewall, keep it out";
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ETIMEDOUT:
      return "check the receiver's address, and the way to it: routes and firewalls";
    case ENOTSOCK:
    case EPROTOTYPE:
      return "check the receiver's address: something else is there";
    default:
      return "start the receiver";
  }
}

Result<Fd> connect_socket(const Address& address) {
  switch (address.kind) {
    case AddressKind::kUdp:
    case AddressKind::kTcp:
      return connect_inet(address);
    case AddressKind::kUnixDatagram:
    case AddressKind::kUnixStream:
      return connect_unix(address);
    case AddressKind::kFile:
    case AddressKind::kStdout:
      break;
  }
  return fail("not a socket: " + to_string(address));
}

}  // namespace flowtap::stats
