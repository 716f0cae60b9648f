#include "writer.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/printable.hpp"

namespace flowtap::cli {

std::string TerminalText::show(std::string_view piece) {
  const std::string text = unfinished_ + std::string(piece);
  const std::size_t whole = text.size() - unfinished_utf8(text);
  unfinished_ = text.substr(whole);
  return printable(std::string_view(text).substr(0, whole), "\n\t");
}

std::string TerminalText::finish() {
  return printable(std::exchange(unfinished_, {}));
}

Writer::Writer(int fd, int stop) : fd_(fd), stop_(stop), terminal_(::isatty(fd) == 1) {}

bool Writer::write(std::string_view bytes) {
  return write_all(terminal_ ? text_.show(bytes) : bytes);
}

bool Writer::finish() {
  return write_all(text_.finish());
}

bool Writer::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    std::array<pollfd, 2> sources = {pollfd{fd_, POLLOUT, 0}, pollfd{stop_, POLLIN, 0}};
    if (::poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) return false;
    if (sources[0].revents == 0) {
      if (sources[1].revents != 0) return false;
      continue;
    }
    // Not more than a writable pipe takes at once: a signal must find us waiting above, not here.
    const ssize_t n = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace flowtap::cli
