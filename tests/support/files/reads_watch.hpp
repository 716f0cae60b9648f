// Tells a test that somebody has read a file or listed a folder.
#pragma once

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>

#include "base/fd.hpp"

namespace flowtap::test {

/// Watches what is at `path` now. A file that replaces it there is another one.
class ReadsWatch {
 public:
  explicit ReadsWatch(const std::string& path) : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    // Whoever has opened it for reading closes it once that is done.
    if (::inotify_add_watch(inotify_.get(), path.c_str(), IN_CLOSE_NOWRITE) < 0)
      throw std::runtime_error("cannot watch " + path);
  }
  /// Whether somebody has done so since this was asked last.
  [[nodiscard]] bool was_read() const {
    alignas(inotify_event) std::array<char, 4096> events{};
    return ::read(inotify_.get(), events.data(), events.size()) > 0;
  }

 private:
  Fd inotify_;
};

}  // namespace flowtap::test
