#include "base/node/listen_hint.hpp"

#include <cerrno>

namespace flowtap {
namespace {

constexpr std::uint16_t kFreePorts = 1024;  // from here on (net.ipv4.ip_unprivileged_port_start)

}  // namespace

std::string listen_hint(int error, std::uint16_t port, std::string_view key) {
  const std::string where(key);
  const std::string number = std::to_string(port);
  switch (error) {
    case EADDRINUSE:
      return "another process has port " + number + " (ss -ltnp 'sport = :" + number +
             "'); choose another one in " + where;
    case EACCES:
    case EPERM:
      return port < kFreePorts
                 ? "ports below 1024 need CAP_NET_BIND_SERVICE; choose a higher one in " + where +
                       ", or start flowtapd anew with that right"
                 : "a security profile (SELinux, AppArmor) forbids that port; choose another one in " +
                       where + ", or allow it there";
    case EADDRNOTAVAIL:
      return "this machine does not have that address; choose one of its own in " + where +
             ", or 0.0.0.0 for all";
    case EAFNOSUPPORT:
      return "this machine has no IPv6; choose an IPv4 address in " + where;
    default:
      return "choose another " + where;
  }
}

}  // namespace flowtap
