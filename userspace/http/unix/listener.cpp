#include "http/unix/listener.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"

namespace flowtap::http {

std::string Listener::words() const {
  if (pid == 0) return "a process that is too busy, or in another pid namespace,";
  return "process " + std::to_string(pid) + (comm.empty() ? "" : " (" + printable(comm) + ")");
}

Listener listener_of(int socket) {
  ucred of{};
  socklen_t size = sizeof(of);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &of, &size) != 0 || of.pid <= 0) return {};
  return {.pid = of.pid, .comm = read_line("/proc/" + std::to_string(of.pid) + "/comm").value_or("")};
}

std::optional<Listener> listener_on(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path)) return std::nullopt;
  path.copy(static_cast<char*>(name.sun_path), path.size());
  const Fd end(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!end.valid()) return Listener{};
  if (::connect(end.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0)
    return listener_of(end.get());
  const bool is_nobody = errno == ENOENT || errno == ENOTDIR || errno == ECONNREFUSED;
  return is_nobody ? std::nullopt : std::optional(Listener{});
}

}  // namespace flowtap::http
