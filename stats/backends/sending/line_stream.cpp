#include "stats/backends/sending/line_stream.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "stats/backends/sending/connect.hpp"

namespace flowtap::stats {
namespace {

constexpr unsigned kUnacknowledgedMs = 30'000;
/// A write of this size never blocks on a pipe that poll() calls writable, even if we were given a blocking pipe.
constexpr std::size_t kPipeChunk = 4096;

void set_tcp_options(int fd) {
  const int on = 1;
  // Without a limit we would wait 15 minutes for a host that has vanished.
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMs, sizeof(kUnacknowledgedMs));
}

/// A kill in the middle of a line leaves the file without a last '\n'. The next line must not be appended to that
/// piece.
bool ends_inside_line(const std::string& path, int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  const Fd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char last = '\n';
  return reader.valid() && ::pread(reader.get(), &last, 1, status.st_size - 1) == 1 && last != '\n';
}

}  // namespace

LineStream::LineStream(Address address, LineStreamOptions options)
    : address_(std::move(address)), options_(options), patience_(options.patience) {}

bool LineStream::is_socket() const {
  return address_.kind == AddressKind::kTcp || address_.kind == AddressKind::kUnixStream;
}

bool LineStream::has_room(std::size_t bytes) {
  while (history_ > 0 && (lines_.size() >= options_.max_lines || bytes_ + bytes > options_.max_bytes))
    drop_front();
  return lines_.empty() || (lines_.size() < options_.max_lines && bytes_ + bytes <= options_.max_bytes);
}

void LineStream::push(std::string line) {
  bytes_ += line.size();
  lines_.push_back({std::move(line)});
}

Status LineStream::pump() {
  patience_.renew();
  if (address_.kind == AddressKind::kFile && file_was_replaced()) close();
  if (fd_.valid()) confirm();  // this also notices a receiver that has gone
  // Twice: a connection that breaks now may have a successor waiting.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!fd_.valid()) FTAP_TRY(open());
    const Status sent = send_rest();
    if (fd_.valid()) confirm();
    if (fd_.valid()) return sent;
  }
  return fail(to_string(address_) + " has closed the connection", "check the receiver");
}

Status LineStream::open() {
  if (address_.kind == AddressKind::kFile) return open_file();
  if (address_.kind == AddressKind::kStdout) {
    fd_ = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!fd_.valid()) return fail_errno(errno, "cannot use the standard output");
    return {};
  }
  FTAP_TRY_ASSIGN(fd, connect_socket(address_));
  if (address_.kind == AddressKind::kTcp) set_tcp_options(fd.get());
  fd_ = std::move(fd);
  return {};
}

Status LineStream::open_file() {
  // Non-blocking, so that a FIFO without a reader is an error and not a wait.
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Fd fd(::open(address_.path.c_str(), flags, 0640));
  if (!fd.valid()) return fail_errno(errno, "cannot open " + address_.path);
  if (ends_inside_line(address_.path, fd.get()) && ::write(fd.get(), "\n", 1) != 1)
    return fail_errno(errno, "cannot write " + address_.path);
  fd_ = std::move(fd);
  return {};
}

/// True if the file was rotated: writing goes on in the new file, but never in the middle of a line.
bool LineStream::file_was_replaced() const {
  if (!fd_.valid() || offset_ != 0) return false;
  struct stat ours{};
  struct stat there{};
  if (::fstat(fd_.get(), &ours) != 0) return true;
  if (::stat(address_.path.c_str(), &there) != 0) return true;
  return ours.st_ino != there.st_ino || ours.st_dev != there.st_dev;
}

Status LineStream::send_rest() {
  while (next_ < lines_.size()) {
    Line& line = lines_[next_];
    const auto written = write_some(std::string_view(line.text).substr(offset_));
    if (!written) {
      const int error = written.error().code;
      const bool passes = error == EAGAIN || error == ENOSPC || error == EDQUOT;
      if (!passes && is_socket()) confirm();  // the receiver may have read what it got before it went away
      if (!passes && fd_.valid()) close();
      return std::unexpected(written.error());
    }
    offset_ += *written;
    position_ += *written;
    if (offset_ < line.text.size()) continue;
    line.end = position_;
    offset_ = 0;
    ++next_;
  }
  return {};
}

Result<std::size_t> LineStream::write_some(std::string_view text) {
  while (true) {
    ssize_t n = 0;
    if (is_socket()) {
      n = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      pollfd ready{fd_.get(), POLLOUT, 0};
      n = ::poll(&ready, 1, 0);
      if (n == 0) errno = EAGAIN;
      n = n > 0 ? ::write(fd_.get(), text.data(), std::min(text.size(), kPipeChunk)) : -1;
    }
    if (n >= 0) return static_cast<std::size_t>(n);
    const int error = errno;
    if (error == EINTR || (error == EAGAIN && patience_.wait_for_room(fd_.get()))) continue;
    if (error == EAGAIN) return fail_errno(error, to_string(address_) + " has stopped reading");
    return fail_errno(error, "cannot write to " + to_string(address_));
  }
}

/// Drops the lines that the other end has, and the connection if that end is gone.
void LineStream::confirm() {
  std::uint64_t confirmed = position_;
  Peer how = Peer::kAlive;
  if (is_socket()) {
    // On a Unix stream this counts the memory of the unread bytes, which is never less than their number. It is read
    // before the state of the peer: the kernel first marks the end of a connection and then throws away the unread
    // bytes, so a queue that is empty for that reason is never taken for one that was read.
    int waiting = 0;
    if (::ioctl(fd_.get(), SIOCOUTQ, &waiting) != 0) waiting = INT32_MAX;
    how = peer();
    // A Unix receiver that closed without a reset has read everything.
    if (how == Peer::kClosed && address_.kind == AddressKind::kUnixStream) waiting = 0;
    confirmed -= std::min(confirmed, static_cast<std::uint64_t>(waiting));
  }
  if (how == Peer::kReset) return close();
  while (history_ < next_ && lines_[history_].end <= confirmed) ++history_;
  // A TCP receiver that closed in order has read what it acknowledged; a live one may still be killed.
  drop_history(how == Peer::kAlive && address_.kind == AddressKind::kTcp ? kHistory : 0);
  if (how == Peer::kClosed) close();
}

/// Reads and drops what the receiver sends, as we expect nothing from it, and tells whether it still listens.
LineStream::Peer LineStream::peer() {
  std::array<char, 4096> ignored{};
  for (int rounds = 0; rounds < 16; ++rounds) {
    const ssize_t n = ::recv(fd_.get(), ignored.data(), ignored.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return Peer::kReset;  // it went away with unread bytes
    if (n == 0 && address_.kind == AddressKind::kTcp) return Peer::kClosed;
    if (n <= 0) break;
  }
  // A Unix receiver may have closed only its writing side, which it does not need; for TCP the two cannot be told
  // apart.
  pollfd state{fd_.get(), 0, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0 ? Peer::kClosed
                                                                                : Peer::kAlive;
}

/// Gives up the connection; its lines are kept and sent again.
void LineStream::close() {
  fd_.reset();
  history_ = 0;
  next_ = 0;
  offset_ = 0;
  position_ = 0;
}

void LineStream::drop_history(std::size_t keep) {
  while (history_ > keep) drop_front();
}

void LineStream::drop_front() {
  bytes_ -= lines_.front().text.size();
  lines_.pop_front();
  --history_;
  --next_;
}

}  // namespace flowtap::stats
