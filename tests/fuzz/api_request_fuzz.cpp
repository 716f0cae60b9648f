// Any bytes as what a client of the API sends: the session ends, and what it answers is HTTP.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "api/session.hpp"

namespace {

using namespace flowtap;

class Node final : public api::NodeView {
 public:
  [[nodiscard]] api::StatusReport status() const override { return {}; }
  [[nodiscard]] stats::SnapshotPtr snapshot() const override { return snapshot_; }
  [[nodiscard]] Status ready() const override { return {}; }

 private:
  stats::SnapshotPtr snapshot_ = std::make_shared<stats::Snapshot>();
};

/// What the server sent so far; does not wait.
void drain(int socket, std::string& answer) {
  std::array<char, 65536> chunk{};
  ssize_t n = 0;
  while ((n = ::recv(socket, chunk.data(), chunk.size(), MSG_DONTWAIT)) > 0)
    answer.append(chunk.data(), static_cast<std::size_t>(n));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return 0;  // what the socket takes at once
  static const Node node;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
  if (::send(ends[1], data, size, MSG_DONTWAIT) != static_cast<ssize_t>(size)) std::abort();
  ::shutdown(ends[1], SHUT_WR);

  boost::asio::io_context io(1);
  api::Socket server(io, boost::asio::local::stream_protocol(), ends[0]);
  boost::asio::co_spawn(io, api::serve(std::move(server), node, {}), boost::asio::detached);
  std::string answer;
  // A pipelined flood has more answers than the socket holds, so they are taken while it is served.
  for (int round = 0; !io.stopped() && round < 1'000'000; ++round) {
    io.poll();
    drain(ends[1], answer);
  }
  if (!io.stopped()) std::abort();
  drain(ends[1], answer);
  ::close(ends[1]);
  if (!answer.empty() && !answer.starts_with("HTTP/1.")) std::abort();
  return 0;
}
