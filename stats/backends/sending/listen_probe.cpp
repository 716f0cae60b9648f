#include "stats/backends/sending/listen_probe.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/fd.hpp"

namespace flowtap::stats {
namespace {

constexpr std::uint16_t kFreePorts = 1024;  // from here on (net.ipv4.ip_unprivileged_port_start)

std::string hint_for(int error, const Address& address) {
  const std::string port = std::to_string(address.port);
  switch (error) {
    case EADDRINUSE:
      return "another process has port " + port + " (ss -ltnp 'sport = :" + port + "'); choose another one";
    case EACCES:
    case EPERM:
      return address.port < kFreePorts
                 ? "ports below 1024 need CAP_NET_BIND_SERVICE; choose a higher one"
                 : "a security profile (SELinux, AppArmor) forbids that port; choose another "
                   "one, or allow it there";
    case EAFNOSUPPORT:
      return "this machine has no IPv6; choose an IPv4 address";
    case EADDRNOTAVAIL:
      return "this machine does not have that address; 0.0.0.0 stands for all that it has";
    default:
      return "choose another address";
  }
}

int try_listen(int family, const sockaddr* at, socklen_t size) {
  const Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return errno;
  // CivetWeb does the same: old connections of an earlier process must not be an obstacle.
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(fd.get(), at, size) != 0 || ::listen(fd.get(), 1) != 0) return errno;
  return 0;
}

}  // namespace

Status probe_listen(const Address& address) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  int error = 0;
  if (::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    error = try_listen(AF_INET, reinterpret_cast<const sockaddr*>(&v4), sizeof(v4));
  } else if (::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    error = try_listen(AF_INET6, reinterpret_cast<const sockaddr*>(&v6), sizeof(v6));
  } else {
    return fail("no IP address to listen at: " + address.host);
  }
  if (error == 0) return {};
  const std::string where = to_string(address).substr(sizeof("tcp://") - 1);
  return fail_errno(error, "cannot listen at " + where, hint_for(error, address));
}

}  // namespace flowtap::stats
