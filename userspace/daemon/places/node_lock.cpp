#include "daemon/places/node_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "api/lock_holders.hpp"
#include "api/lock_text.hpp"
#include "api/socket_path.hpp"
#include "base/node/link_in_the_way.hpp"
#include "base/printable.hpp"

namespace flowtap {
namespace {

// Absent: a flowtapd has it, or nobody can tell.
std::optional<api::LockHolder> stranger_with(int fd) {
  struct stat file{};
  if (::fstat(fd, &file) != 0) return std::nullopt;
  for (api::LockHolder& holder : api::lock_holders("/"))
    if (holder.inode == std::to_string(file.st_ino) && !holder.comm.empty() &&
        !holder.comm.starts_with(api::kDaemon))
      return std::move(holder);
  return std::nullopt;
}

std::unexpected<Error> is_held(int fd, const std::string& path) {
  if (const auto stranger = stranger_with(fd))
    return fail("process " + printable(stranger->pid) + " (" + printable(stranger->comm) +
                    "), which is no flowtapd, holds the lock " + path,
                "end that process, or let it take a lock of its own");
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
  if (!file.valid()) {
    const int error = errno;
    if (auto link = link_in_the_way("cannot open " + path, path, Links::kNone))
      return std::unexpected(std::move(*link));
    return fail_errno(error, "cannot open " + path, lock_hint(error));
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return is_held(file.get(), path);
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
