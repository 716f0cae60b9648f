#include "daemon/places/node_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "api/lock_text.hpp"
#include "api/socket_path.hpp"
#include "base/printable.hpp"

namespace flowtap {
namespace {

std::unexpected<Error> is_held(int fd) {
  std::array<char, api::kMostLockText> bytes{};
  const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), 0);
  const auto lock = api::parse_lock_text({bytes.data(), n > 0 ? static_cast<std::size_t>(n) : 0});
  std::string who = "another flowtapd";
  if (!lock.pid.empty()) who += " (pid " + printable(lock.pid) + ")";
  const bool is_elsewhere = !lock.state_dir.empty() && lock.state_dir != api::kDefaultStateDir;
  return fail(who + " is already running on this node",
              "use that one ('flowtap status" +
                  (is_elsewhere ? " --state-dir " + printable(lock.state_dir) : std::string()) +
                  "'), or stop it first");
}

std::string lock_hint(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "run flowtapd as root";
    case ELOOP:
      return "a symbolic link stands there, and flowtapd follows none: remove it";
    case EISDIR:
      return "move away the directory that stands there";
    case EROFS:
      return "mount the node's /run so that flowtapd can write there";
    case ENOSPC:
    case EDQUOT:
      return "make room in the node's /run";
    case ENOLCK:
    case EINVAL:
    case EOPNOTSUPP:
      return "the node's /run is on a file system without locks: mount a tmpfs there";
    default:
      return "set host_root (--host-root) to where the node's / is, which has a directory run";
  }
}

}  // namespace

Result<NodeLock> NodeLock::take(const std::string& host_root, const std::string& state_dir) {
  return take_file(api::lock_path(host_root), state_dir);
}

Result<bool> NodeLock::keep() {
  struct stat ours{};
  struct stat there{};
  if (::fstat(file_.get(), &ours) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
      there.st_dev == ours.st_dev && there.st_ino == ours.st_ino)
    return false;
  FTAP_TRY_ASSIGN(again, take_file(path_, state_dir_));
  *this = std::move(again);
  return true;
}

Result<NodeLock> NodeLock::take_file(const std::string& path, const std::string& state_dir) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.valid()) return fail_errno(errno, "cannot open " + path, lock_hint(errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return is_held(file.get());
    return fail_errno(errno, "cannot lock " + path, lock_hint(errno));
  }
  // For messages only; the lock itself is the kernel's.
  const std::string text = api::LockText{std::to_string(::getpid()), state_dir}.text();
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return fail_errno(errno, "cannot write " + path, lock_hint(errno));
  return NodeLock(std::move(file), path, state_dir);
}

}  // namespace flowtap
