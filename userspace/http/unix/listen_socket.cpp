#include "http/unix/listen_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/node/link_in_the_way.hpp"
#include "http/unix/listener.hpp"

namespace flowtap::http {
namespace {

constexpr mode_t kMode = 0660;

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return fail("the socket path " + path + " is too long", "choose a shorter state_dir");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Result<Fd> unix_socket() {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return fail_errno(errno, "cannot create a Unix socket");
  return fd;
}

int call(int (*function)(int, const sockaddr*, socklen_t), const Fd& fd, const sockaddr_un& address) {
  return function(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

std::unexpected<Error> is_taken(const std::string& path, const Listener& by) {
  return fail(by.words() + " listens on " + path, "end that process, or choose another state_dir");
}

/// Fails if something that must not be replaced stands at `path`.
Status check_free(const std::string& path) {
  struct stat there{};
  if (::lstat(path.c_str(), &there) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(errno, "cannot look at " + path,
                      "state_dir must be a directory that flowtapd may enter");
  }
  if (auto link =
          link_in_the_way("cannot make the socket " + path, path, Links::kNone, "choose another state_dir"))
    return std::unexpected(std::move(*link));
  if (!S_ISSOCK(there.st_mode))
    return fail(path + " exists and is not a socket", "move it away, or choose another state_dir");
  FTAP_TRY_ASSIGN(address, address_of(path));
  FTAP_TRY_ASSIGN(probe, unix_socket());
  if (call(::connect, probe, address) == 0) return is_taken(path, listener_of(probe.get()));
  // Somebody listens, and the queue is full. Only a refusal says that nobody listens.
  if (errno == EAGAIN) return is_taken(path, {});
  if (errno != ECONNREFUSED) return fail_errno(errno, "cannot tell whether somebody listens on " + path);
  return {};
}

/// Binds under a name that nobody looks for, sets owner and mode, and only then gives the socket its name. Nothing can
/// connect in between, and there is a socket at all times while an old one is replaced.
Status publish(const Fd& fd, const std::string& path, std::optional<gid_t> group) {
  const std::string fresh = path + ".new." + std::to_string(::getpid());
  FTAP_TRY_ASSIGN(address, address_of(fresh));
  ::unlink(fresh.c_str());  // it may be left from a process with our number that died right here
  // The file that bind() makes takes its mode from the socket, less the umask: at first it is closed to everybody else.
  if (::fchmod(fd.get(), 0600) != 0) return fail_errno(errno, "cannot set the mode of a socket");
  if (call(::bind, fd, address) != 0) {
    const int error = errno;
    const std::string what = "cannot create the API's socket in " + path.substr(0, path.rfind('/'));
    if (auto link = link_in_the_way(what, path, Links::kThatLeadToThings, "choose another state_dir"))
      return std::unexpected(std::move(*link));
    return fail_errno(error, what,
                      error == ENOSPC || error == EDQUOT
                          ? "make room on that file system, or choose another state_dir"
                          : "state_dir must exist and be writable for flowtapd");
  }
  const gid_t owner_group = group.value_or(::getegid());
  if (::lchown(fresh.c_str(), ::geteuid(), owner_group) == 0 && ::chmod(fresh.c_str(), kMode) == 0 &&
      ::listen(fd.get(), SOMAXCONN) == 0 && ::rename(fresh.c_str(), path.c_str()) == 0)
    return {};
  const int error = errno;
  ::unlink(fresh.c_str());
  return fail_errno(
      error, "cannot set up the API's socket " + path,
      error == EPERM || error == EACCES
          ? "run flowtapd as root, or with CAP_CHOWN, which giving the socket to api.socket_group takes"
          : "");
}

}  // namespace

Result<ListenSocket> ListenSocket::open(const std::string& path, std::optional<gid_t> group) {
  FTAP_TRY(check_free(path));
  FTAP_TRY_ASSIGN(fd, unix_socket());
  FTAP_TRY(publish(fd, path, group));
  struct stat made{};
  if (::lstat(path.c_str(), &made) != 0) return fail_errno(errno, "cannot look at " + path);
  return ListenSocket(std::move(fd), path, made.st_dev, made.st_ino);
}

bool ListenSocket::is_found() const {
  struct stat there{};
  return ::lstat(path_.c_str(), &there) == 0 && there.st_dev == device_ && there.st_ino == inode_;
}

ListenSocket::~ListenSocket() {
  if (fd_.valid() && is_found()) ::unlink(path_.c_str());
}

}  // namespace flowtap::http
