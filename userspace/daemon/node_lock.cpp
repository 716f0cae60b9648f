#include "daemon/node_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/printable.hpp"

namespace flowtap {
namespace {

std::string holder(int fd) {
  std::array<char, 32> text{};
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  std::string pid(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  pid.erase(pid.find_last_not_of('\n') + 1);
  return pid.empty() ? "another flowtapd" : "another flowtapd (pid " + printable(pid) + ")";
}

}  // namespace

Result<NodeLock> NodeLock::take(const std::string& host_root) {
  const std::string path =
      host_root + (host_root.ends_with('/') ? "run/flowtapd.lock" : "/run/flowtapd.lock");
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.valid())
    return fail_errno(errno, "cannot open " + path,
                      "run flowtapd as root; --host-root says where the node's / is");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return fail(holder(file.get()) + " is already running on this node",
                  "use that one ('flowtap status'), or stop it first");
    return fail_errno(errno, "cannot lock " + path);
  }
  // For the message above only; the lock itself is the kernel's.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return fail_errno(errno, "cannot write " + path);
  return NodeLock(std::move(file));
}

}  // namespace flowtap
