#include "daemon/node_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
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

}  // namespace

Result<NodeLock> NodeLock::take(const std::string& host_root, const std::string& state_dir) {
  const std::string path = api::lock_path(host_root);
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.valid())
    return fail_errno(errno, "cannot open " + path,
                      "run flowtapd as root; --host-root says where the node's / is");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return is_held(file.get());
    return fail_errno(errno, "cannot lock " + path);
  }
  // For messages only; the lock itself is the kernel's.
  const std::string text = api::LockText{std::to_string(::getpid()), state_dir}.text();
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return fail_errno(errno, "cannot write " + path);
  return NodeLock(std::move(file));
}

}  // namespace flowtap
