// Any bytes as what a client of the API sends: the session ends, and its answer is HTTP.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "api/node_handler.hpp"
#include "http/negotiation.hpp"
#include "http/server/session.hpp"

namespace {

using namespace flowtap;

/// Two pieces with a gap between them, then nothing more, and no end.
class Reader final : public api::BodyReader {
 public:
  explicit Reader(const api::ReadOptions& options) : left_(options.from_now ? 0 : 2) {}
  [[nodiscard]] Result<Piece> read(std::size_t limit) override {
    if (left_ == 0) return Piece{};
    --left_;
    return Piece{std::string(std::min<std::size_t>(limit, 3000), 'x'), left_ * 7, false};
  }
  void when_more(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  std::uint64_t left_;
  std::function<void()> wake_;
};

class Flows final : public api::FlowsView {
 public:
  [[nodiscard]] std::vector<api::FlowStatus> flows(const api::FlowFilter& filter) const override {
    api::FlowStatus flow;
    flow.id = filter.pod.value_or("");  // whatever a client sends comes back as JSON
    return {flow};
  }
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> read(const std::string& id,
                                                              const api::ReadOptions& options) override {
    if (id.size() > 40) return std::unexpected(Error{"no flow " + id, "", ENOENT});
    return std::make_unique<Reader>(options);
  }
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> log(const std::string& id,
                                                             const api::LogReadOptions& options) override {
    return read(id, {.outputs = options.outputs, .to_now = !options.follow});
  }
  [[nodiscard]] Result<std::unique_ptr<api::FlowListReader>> list_reader(const api::FlowFilter&) override {
    return std::unexpected(Error{"as many follow as may", "", EMFILE});
  }
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> tap(std::uint32_t pid,
                                                             const api::ReadOptions& options) override {
    if (pid > 1000) return std::unexpected(Error{"there is no such process", "", ESRCH});
    return std::make_unique<Reader>(options);
  }
};

class Node final : public api::NodeView {
 public:
  [[nodiscard]] api::StatusReport status() const override { return {}; }
  [[nodiscard]] stats::SnapshotPtr snapshot() const override { return snapshot_; }
  [[nodiscard]] Status ready() const override { return {}; }
  [[nodiscard]] Result<api::FlowsView*> flows() const override { return &flows_; }

 private:
  mutable Flows flows_;
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
  // These headers are only a few bytes of a whole request.
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)http::accepts_gzip(text);
  if (http::has_already(text, "\"x\"") && !text.contains('x') && !text.contains('*')) std::abort();
  static const Node node;
  static const api::NodeHandler handler(node);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
  if (::send(ends[1], data, size, MSG_DONTWAIT) != static_cast<ssize_t>(size)) std::abort();
  ::shutdown(ends[1], SHUT_WR);

  http::Seats followers(2);
  http::Closing closing;
  boost::asio::io_context io(1);
  const http::LoopWaker waker(io);
  http::AnswerCounts counts;
  const http::Service service{.handler = handler,
                              .limits = {},
                              .followers = followers,
                              .waker = waker,
                              .closing = closing,
                              .counts = counts};
  http::Socket server(io, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[0]);
  boost::asio::co_spawn(io, http::serve(std::move(server), service), boost::asio::detached);
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
