#include "stream/mount_keeper.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "stream/capture/mount_hint.hpp"
#include "stream/only_mounting.hpp"

namespace flowtap {
namespace {

// The main loop waits for it.
constexpr std::chrono::seconds kPatience{2};

// Whether it came, and whole.
template <typename Message>
bool receive(int socket, Message& message) {
  ssize_t got = 0;
  do got = ::recv(socket, &message, sizeof(message), 0);
  while (got < 0 && errno == EINTR);
  return got == sizeof(message);
}

}  // namespace

// The copy is attached nowhere. The file system lives as long as the copy is open. The copy replaces the earlier one
// only if it belongs to the same file system. Returns an errno.
int MountKeeper::hold(const char* place, dev_t device) {
  Fd copy(::open_tree(AT_FDCWD, place, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW));
  struct stat there{};
  if (!copy.valid() || ::fstat(copy.get(), &there) != 0) return errno;
  if (there.st_dev != device) return ESTALE;
  if (copy.get() == kHeld)
    static_cast<void>(copy.release());  // the first one
  else if (::dup3(copy.get(), kHeld, O_CLOEXEC) != kHeld)
    return errno;
  return 0;
}

int MountKeeper::put_back(const char* place, dev_t device) {
  if (::move_mount(kHeld, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH) != 0) return errno;
  return hold(place, device);  // what is attached is no copy any more
}

// The child closes all that it has from the parent, such as the node's lock, so that nothing of this outlives the
// parent.
void MountKeeper::serve(int parent, const char* place) {
  ::dup2(parent, kParent);
  ::syscall(SYS_close_range, 1U, ~0U, 0U);
  // These signals mean the parent, and the child ends with it.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);
  ::prctl(PR_SET_NAME, "ftap-mounts");
  if (!keep_only_mounting()) ::_exit(1);
  for (Order order{}; receive(kParent, order);) {
    const int error = order.kind == Kind::kHold ? hold(place, order.device) : put_back(place, order.device);
    if (::send(kParent, &error, sizeof(error), MSG_NOSIGNAL) != sizeof(error)) break;
  }
  ::_exit(0);
}

Result<std::unique_ptr<MountKeeper>> MountKeeper::start(const std::string& place) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail_errno(errno, "cannot make a pair of sockets");
  Fd ours(ends[0]);
  const Fd theirs(ends[1]);
  const timeval patience{.tv_sec = kPatience.count(), .tv_usec = 0};
  if (::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0)
    return fail_errno(errno, "cannot bound the wait for a process");
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno, "cannot start a process");
  if (child == 0) serve(theirs.get(), place.c_str());
  return std::unique_ptr<MountKeeper>(new MountKeeper(std::move(ours), child, place));
}

// One that hangs in the kernel ends some time later, or with this process.
MountKeeper::~MountKeeper() {
  socket_.reset();
  if (!answers_) ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, answers_ ? 0 : WNOHANG) < 0 && errno == EINTR) continue;
}

Status MountKeeper::order(const Order& order, const char* what) {
  constexpr const char* kHint = "restart flowtapd, which mounts it anew";
  int error = 0;
  answers_ = ::send(socket_.get(), &order, sizeof(order), MSG_NOSIGNAL) == sizeof(order) &&
             receive(socket_.get(), error);
  is_usable_ = answers_ && error != ESTALE;
  if (!answers_)
    return fail(what + place_ + ": the process that does it has ended or does not answer", kHint);
  if (error == ESTALE) return fail(what + place_ + ": another file system is found there", kHint);
  const std::string hint = mount_hint(error, "tmpfs");
  if (error != 0) return fail_errno(error, what + place_, hint.empty() ? kHint : hint);
  return {};
}

}  // namespace flowtap
