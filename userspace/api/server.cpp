#include "api/server.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <thread>

#include "api/listen_socket.hpp"
#include "api/peer.hpp"
#include "api/session.hpp"
#include "base/fd.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;

/// Signals belong to the threads that wait for them; one that a library starts must take none away.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

class ApiServer::Impl {
 public:
  Impl(ListenSocket listener, std::optional<gid_t> group, const ServerOptions& options, const NodeView& node)
      : listener_(std::move(listener)),
        group_(group),
        max_connections_(options.max_connections),
        followers_(options.max_followers),
        connections_(options.max_connections + options.max_followers),
        turned_away_(options.max_connections),
        acceptor_(io_),
        bell_(io_),
        service_{node, {.time = options.session_time}, followers_, bell_} {}

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
    bell_.close();  // before io_ ends, which those who capture do not know of
  }

  Status start() {
    Fd copy(::fcntl(listener_.fd(), F_DUPFD_CLOEXEC, 0));
    if (!copy.valid()) return fail_errno(errno, "cannot keep the API's socket");
    acceptor_.assign(stream_protocol(), copy.release());
    asio::co_spawn(io_, accept_all(), asio::detached);
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
    return {};
  }

 private:
  void run() noexcept {
    ::pthread_setname_np(::pthread_self(), "ftap-api");
    while (!io_.stopped()) {
      try {
        io_.run();
      } catch (const std::exception&) {
        continue;  // memory ran out for one connection; the others go on
      }
    }
  }

  asio::awaitable<void> accept_all() {
    while (true) {
      auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (!error) {
        take(std::move(socket));
        continue;
      }
      // Out of descriptors or memory: trying again at once would only burn the CPU that others need.
      asio::steady_timer pause(io_, std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }

  void take(Socket socket) noexcept {
    try {
      const auto peer = peer_of(socket.native_handle());
      if (!peer || !may_use(*peer, ::geteuid(), group_)) {
        // Nothing of what the caller asks for is read: a refused request learns nothing.
        seat(turned_away_, turn_away(std::move(socket), refusal(), kTurnAway));
      } else if (connections_.taken() - followers_.taken() >= max_connections_) {
        seat(turned_away_, turn_away(std::move(socket), full(), kTurnAway));
      } else {
        seat(connections_, serve(std::move(socket), service_));
      }
    } catch (const std::exception&) {
      return;  // no memory for this one: closed without a word
    }
  }

  /// Beyond the bound the socket just closes: those who are turned away must not take all descriptors either.
  void seat(Seats& seats, asio::awaitable<void> session) {
    auto taken = seats.take();
    if (!taken) return;
    asio::co_spawn(
        io_,
        [](Seats::Seat, asio::awaitable<void> inner) -> asio::awaitable<void> { co_await std::move(inner); }(
                                                         std::move(*taken), std::move(session)),
        asio::detached);
  }

  static Answer full() {
    return error_answer(503, "too many connections are open", "close some, or try again in a moment");
  }

  [[nodiscard]] Answer refusal() const {
    return error_answer(403, "this user may not use the API",
                        group_ ? "become root, or a member of the group in api.socket_group"
                               : "become root, or name a group in api.socket_group and join it");
  }

  static constexpr SessionLimits kTurnAway{.time = std::chrono::milliseconds(1000)};

  ListenSocket listener_;
  std::optional<gid_t> group_;
  std::size_t max_connections_;
  // Before io_, whose end destroys the sessions that are counted here.
  Seats followers_;
  Seats connections_;  ///< followers among them
  Seats turned_away_;
  asio::io_context io_{1};
  stream_protocol::acceptor acceptor_;
  Bell bell_;
  Service service_;
  std::thread thread_;
};

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiServer::ApiServer(ApiServer&&) noexcept = default;
ApiServer::~ApiServer() = default;

Result<ApiServer> ApiServer::start(const ServerOptions& options, const NodeView& node) {
  try {
    FTAP_TRY_ASSIGN(group, find_group(options.socket_group));
    FTAP_TRY_ASSIGN(listener, ListenSocket::open(options.socket_path, group));
    auto impl = std::make_unique<Impl>(std::move(listener), group, options, node);
    FTAP_TRY(impl->start());
    return ApiServer(std::move(impl));
  } catch (const std::exception& error) {  // Asio's set-up: no descriptors, no memory, no thread
    return fail("cannot start the API: " + printable(error.what()));
  }
}

}  // namespace flowtap::api
