#include "stream/sources/files/directory_watches.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace flowtap {
namespace {

constexpr std::uint32_t kEvents = IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR;

NameEvent name_event(const inotify_event& event, const char* name) {
  NameEvent out{NameEvent::What::kRemoved, name, event.cookie};
  if ((event.mask & IN_CREATE) != 0) out.what = NameEvent::What::kMade;
  if ((event.mask & IN_MOVED_FROM) != 0) out.what = NameEvent::What::kMovedFrom;
  if ((event.mask & IN_MOVED_TO) != 0) out.what = NameEvent::What::kMovedTo;
  return out;
}

}  // namespace

Result<DirectoryWatches> DirectoryWatches::open() {
  Fd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify.valid()) {
    const int error = errno;
    // It says EMFILE of its own limit as well, which is much the smaller one.
    if (error == EMFILE && Fd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)).valid())
      return std::unexpected(
          Error{"cannot watch directories: " + errno_text(error),
                "root's processes have as many inotify instances as they may: raise the sysctl "
                "fs.inotify.max_user_instances",
                error});
    return fail_errno(error, "cannot watch directories");
  }
  return DirectoryWatches(std::move(inotify));
}

Result<int> DirectoryWatches::watch(PathWalk& walk, const std::string& directory) {
  FTAP_TRY_ASSIGN(reached, walk.to(directory));
  const std::string place = "/proc/self/fd/" + std::to_string(reached.place.get());
  const int watch = ::inotify_add_watch(inotify_.get(), place.c_str(), kEvents);
  if (watch == kNone) return fail_errno(errno, "cannot watch " + directory);
  all_.insert(watch);
  return watch;
}

void DirectoryWatches::keep_only(const std::set<int>& watches) {
  std::erase_if(all_, [&](int watch) {
    if (watches.contains(watch)) return false;
    // This fails if the directory is gone, since the kernel has removed its watch then.
    (void)::inotify_rm_watch(inotify_.get(), watch);
    return true;
  });
}

bool DirectoryWatches::read(const Listener& listener) {
  alignas(inotify_event) std::array<char, 16384> buffer{};
  bool any = false;
  while (true) {
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): it does not (IN_NONBLOCK)
    const ssize_t n = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (n <= 0) return any;
    any = true;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(n);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      at += sizeof(event) + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0)
        listener.lost();
      else if (event.len > 0)
        listener.event(event.wd, name_event(event, name));
    }
  }
}

}  // namespace flowtap
