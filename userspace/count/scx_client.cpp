#include "count/scx_client.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace flowtap {

Result<bool> ScxClient::connect() {
  close();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof(address.sun_path))
    return fail("the path " + path_ + " is too long for a socket", "use a shorter host_root");
  path_.copy(static_cast<char*>(address.sun_path), path_.size());
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return fail_errno(errno, "cannot make a socket");
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    // Nobody has ever listened there, or the socket was left behind. EAGAIN means something else: a scheduler that has
    // not accepted earlier connections.
    if (errno == ENOENT || errno == ENOTDIR || errno == ECONNREFUSED) return false;
    return fail_errno(errno, "cannot connect to " + path_);
  }
  socket_ = std::move(socket);
  return true;
}

Status ScxClient::ask(std::string_view request) {
  const std::string line = R"({"req":")" + std::string(request) + "\",\"args\":{}}\n";
  const ssize_t n = ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
  if (n < 0) return fail_errno(errno == EPIPE ? ECONNRESET : errno, "cannot ask at " + path_);
  // A line this short goes whole or not at all, unless the scheduler reads nothing for long.
  if (static_cast<std::size_t>(n) != line.size()) return fail("the scheduler does not read its requests");
  return {};
}

Result<std::optional<std::string>> ScxClient::answer() {
  std::array<char, 16384> chunk{};
  while (received_.size() <= kLongestAnswer) {
    const ssize_t n = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
    if (n < 0 && errno != ECONNRESET) return fail_errno(errno, "cannot read from " + path_);
    if (n <= 0) return fail_errno(ECONNRESET, "the scheduler ends each connection to " + path_);
    const std::string_view got(chunk.data(), static_cast<std::size_t>(n));
    received_ += got;
    if (!got.contains('\n')) continue;
    std::string line = received_.substr(0, received_.find('\n'));
    received_.clear();  // nothing follows the line before the next question
    return line;
  }
  return fail("an answer at " + path_ + " is longer than any scheduler's");
}

void ScxClient::close() {
  socket_.reset();
  received_.clear();
}

}  // namespace flowtap
