#include "stream/main_log/main_log.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace flowtap {
namespace {

constexpr std::string_view kStderr = "stderr";
constexpr mode_t kMode = 0640;

}  // namespace

MainLog::MainLog(Options options) : options_(std::move(options)) {
  if (options_.to == kStderr) file_ = Fd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
}

bool MainLog::ready(std::size_t bytes) {
  if (options_.to == kStderr) return file_.valid();
  struct stat here{};
  // Somebody may have moved or removed the file.
  const bool there = file_.valid() && ::fstat(file_.get(), &here) == 0 && here.st_nlink > 0;
  if (there && (size_ + bytes <= options_.bytes || size_ == 0 || goes_on_)) return true;
  if (there && !rotate() && has_name(here)) return begin_anew();
  file_ = Fd(::open(options_.to.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                    kMode));
  if (!file_.valid() || ::fstat(file_.get(), &here) != 0 || !S_ISREG(here.st_mode)) {
    file_.reset();
    return false;
  }
  size_ = static_cast<std::uint64_t>(here.st_size);
  line_open_ = false;
  return true;
}

std::string MainLog::name(std::uint64_t n) const {
  return n == 0 ? options_.to : options_.to + "." + std::to_string(n);
}

std::string MainLog::tail(std::size_t most) const {
  std::string text;
  if (options_.to == kStderr) return text;
  for (std::uint64_t n = 0; n < options_.files && text.size() < most; ++n) {
    const Fd file(::open(name(n).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat here{};
    // Between a rotation and the next line there is no such file.
    if (n == 0 && !file.valid() && errno == ENOENT) continue;
    if (!file.valid() || ::fstat(file.get(), &here) != 0 || !S_ISREG(here.st_mode)) break;
    const auto size = static_cast<std::uint64_t>(here.st_size);
    std::string part(std::min<std::uint64_t>(size, most - text.size()), '\0');
    const ssize_t got = ::pread(file.get(), part.data(), part.size(), static_cast<off_t>(size - part.size()));
    if (got != static_cast<ssize_t>(part.size())) break;
    const bool is_cut = part.size() < size;
    text.insert(0, part);
    if (is_cut) text.erase(0, text.find('\n') + 1);
    if (is_cut) break;
  }
  return text;
}

// False: the file is still where it was.
bool MainLog::rotate() const {
  if (options_.files <= 1) return ::unlink(options_.to.c_str()) == 0;
  bool moved = false;
  for (std::uint64_t n = options_.files - 1; n > 0; --n)
    moved = ::rename(name(n - 1).c_str(), name(n).c_str()) == 0;
  return moved;
}

// If the file has lost its name, somebody has moved it and owns it now.
bool MainLog::has_name(const struct stat& file) const {
  struct stat named{};
  return ::lstat(options_.to.c_str(), &named) == 0 && named.st_dev == file.st_dev &&
         named.st_ino == file.st_ino;
}

// The file is kept to its bound even where its directory cannot be changed, or where something else has its successor's name.
bool MainLog::begin_anew() {
  if (::ftruncate(file_.get(), 0) != 0) return false;
  if (options_.files > 1) lost_ += size_;
  size_ = 0;
  line_open_ = false;
  return true;
}

// Returns how many bytes could be written.
std::size_t MainLog::put(std::string_view bytes) {
  const std::size_t all = bytes.size();
  while (!bytes.empty()) {
    // A pipe that is ready takes this much without waiting.
    pollfd there{file_.get(), POLLOUT, 0};
    if (::poll(&there, 1, 0) != 1 || (there.revents & POLLOUT) == 0) break;
    const ssize_t n = ::write(file_.get(), bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    size_ += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return all - bytes.size();
}

void MainLog::write(std::string_view text, bool full) {
  const std::size_t bytes = text.size() + (full ? 1 : 0);
  if (!ready(bytes)) {
    lost_ += bytes;
    goes_on_ = false;
    return;
  }
  // The rest of the line that stands there was lost, and the new text is not part of it.
  if (line_open_ && !goes_on_) line_open_ = put("\n") == 0;
  const std::size_t written = line_open_ && !goes_on_ ? 0 : put(std::string(text).append(full ? "\n" : ""));
  lost_ += bytes - written;
  if (written > 0) line_open_ = !full || written < bytes;
  goes_on_ = !full && written == bytes;
}

}  // namespace flowtap
