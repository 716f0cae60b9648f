#include "tests/support/flows/flow_follower.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "tests/support/flows/flows.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {

FlowFollower::FlowFollower(const Daemon& daemon, const std::string& flow, const std::string& stream)
    : fd_(ask_unix(daemon.socket(), log_path(flow, stream, true))) {
  // Reads the head and not a byte more, since callers wait for the log on the descriptor.
  while (!bytes_.ends_with("\r\n\r\n"))
    if (!wait() || !read_some(1)) throw std::runtime_error("nobody lets " + flow + " be followed");
  if (bytes_.find(" 200 ") == std::string::npos)
    throw std::runtime_error("following " + flow + ": " + bytes_);
  bytes_.clear();
}

bool FlowFollower::take(std::string_view wanted) {
  while (read_some()) {
    if (wanted.substr(std::min(seen_, wanted.size()), bytes_.size()) != bytes_) return false;
    seen_ += bytes_.size();
    bytes_.clear();
  }
  return true;
}

std::string FlowFollower::read_until(const std::function<bool(std::string_view)>& enough) {
  static_cast<void>(eventually([&] {
    while (read_some()) continue;
    return closed_ || enough(bytes_);
  }));
  return bytes_;
}

std::string FlowFollower::read_to_end() {
  while (!closed_ && wait()) read_some();
  return bytes_;
}

void FlowFollower::leave() const {
  ::shutdown(fd_.get(), SHUT_RDWR);
}

bool FlowFollower::read_some(std::size_t limit) {
  std::array<char, kChunk> chunk{};
  const ssize_t n = ::recv(fd_.get(), chunk.data(), limit, MSG_DONTWAIT);
  closed_ = closed_ || n == 0;
  if (n <= 0) return false;
  bytes_.append(chunk.data(), static_cast<std::size_t>(n));
  return true;
}

bool FlowFollower::wait() const {
  pollfd readable{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  const auto limit = std::chrono::milliseconds(kPatience).count();
  return ::poll(&readable, 1, static_cast<int>(limit)) == 1;
}

}  // namespace flowtap::test
