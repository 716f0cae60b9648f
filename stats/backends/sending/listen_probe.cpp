#include "stats/backends/sending/listen_probe.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/fd.hpp"
#include "base/node/listen_hint.hpp"

namespace flowtap::stats {
namespace {

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
  return fail_errno(error, "cannot listen at " + where,
                    listen_hint(error, address.port, "prometheus.address"));
}

}  // namespace flowtap::stats
