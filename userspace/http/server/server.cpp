#include "http/server/server.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <semaphore>
#include <thread>
#include <utility>

#include "base/fd.hpp"
#include "base/printable.hpp"
#include "base/threads/signals_blocked.hpp"
#include "http/server/accepting.hpp"
#include "http/server/session.hpp"
#include "http/server/tcp_door.hpp"
#include "http/unix/listen_socket.hpp"
#include "http/unix/peer.hpp"

namespace flowtap::http {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;

// For the acceptor, which closes what it listens on.
Result<Fd> copy_of(const ListenSocket& socket) {
  Fd copy(::fcntl(socket.fd(), F_DUPFD_CLOEXEC, 0));
  if (!copy.valid()) return fail_errno(errno, "cannot keep the API's socket");
  return copy;
}

}  // namespace

// It has many members, since it is all that its one thread works with: the sockets that it listens on, the connections, and their limits.
class Server::Impl {
 public:
  Impl(ListenSocket listener, std::optional<gid_t> group, const ServerOptions& options,
       std::unique_ptr<const Handler> handler)
      : path_(options.socket_path),
        listener_(std::move(listener)),
        handler_(std::move(handler)),
        group_(group),
        drain_(options.drain),
        max_connections_(options.max_connections),
        followers_(options.max_followers),
        connections_(options.max_connections + options.max_followers),
        turned_away_(options.max_connections),
        counts_(options.counts ? options.counts : std::make_shared<ServerCounts>()),
        acceptor_(io_),
        waker_(io_),
        service_{*handler_,           {.time = options.session_time}, followers_, waker_, closing_,
                 counts_->unix_socket} {}

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (thread_.joinable()) {
      asio::post(io_, [this] { close(); });
      listener_.reset();
      (void)ended_.try_acquire_for(drain_);
      io_.stop();
      thread_.join();
    }
    if (door_) door_->end();
    waker_.close();  // before io_ ends: the threads that capture do not know of that end
  }

  /// To be called before start().
  void open_tcp(const TcpOptions& options) {
    auto door = TcpDoor::open(options, io_,
                              {.handler = *handler_,
                               .waker = waker_,
                               .closing = closing_,
                               .counts = counts_->tcp,
                               .session_time = service_.limits.time,
                               .max_followers = followers_.most()});
    if (door) {
      tcp_ = (*door)->where();
      door_ = std::move(*door);
    } else {
      tcp_ = std::unexpected(door.error());
    }
  }

  Result<bool> keep_socket() {
    if (listener_->is_found()) return false;
    FTAP_TRY_ASSIGN(fresh, ListenSocket::open(path_, group_));
    FTAP_TRY_ASSIGN(copy, copy_of(fresh));
    listener_.emplace(std::move(fresh));
    // accept_all() goes on with what the acceptor listens on by then.
    asio::post(io_, [this, copy = std::move(copy)]() mutable {
      boost::system::error_code ignored;
      (void)acceptor_.close(ignored);
      acceptor_.assign(stream_protocol(), copy.release());
    });
    return true;
  }

  [[nodiscard]] const std::optional<Result<std::string>>& tcp() const { return tcp_; }
  [[nodiscard]] Status accepting() const { return trouble_.now(); }
  [[nodiscard]] Status tcp_health() const { return door_ ? door_->health() : Status(); }

  Status start() {
    FTAP_TRY_ASSIGN(copy, copy_of(*listener_));
    acceptor_.assign(stream_protocol(), copy.release());
    asio::co_spawn(io_,
                   accept_all(acceptor_, closing_, trouble_,
                              [this](stream_protocol::socket socket) { take(std::move(socket)); }),
                   asio::detached);
    if (door_) door_->accept();
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
        continue;  // there was no memory for one connection; the others go on
      }
    }
    ended_.release();
  }

  /// The loop ends by itself when no connection is left.
  void close() {
    boost::system::error_code ignored;
    (void)acceptor_.close(ignored);
    if (door_) door_->close();
    closing_.begin();
  }

  void take(stream_protocol::socket socket) {
    try {
      AnswerCounts& counts = service_.counts;
      const auto executor = io_.get_executor();
      const auto peer = peer_of(socket.native_handle());
      if (!peer || !may_use(*peer, ::geteuid(), group_)) {
        // The request is not read: its refusal tells the client nothing about it.
        seat(executor, turned_away_, counts, turn_away(std::move(socket), refusal(), kTurnAway, counts));
      } else if (connections_.taken() - followers_.taken() >= max_connections_) {
        seat(executor, turned_away_, counts, turn_away(std::move(socket), full_house(), kTurnAway, counts));
      } else {
        seat(executor, connections_, counts, serve(std::move(socket), service_));
      }
    } catch (const std::exception&) {
      return;  // there is no memory for this one: it is closed without an answer
    }
  }

  [[nodiscard]] Answer refusal() const {
    return error_answer(403, "this user may not use the API",
                        group_ ? "become root, or a member of the group in api.socket_group"
                               : "become root, or name a group in api.socket_group and join it");
  }

  std::string path_;
  std::optional<ListenSocket> listener_;
  std::unique_ptr<const Handler> handler_;
  std::optional<gid_t> group_;
  std::chrono::milliseconds drain_;
  std::size_t max_connections_;
  // Declared before io_, whose end destroys the sessions that are counted here.
  Seats followers_;
  Seats connections_;  ///< including followers
  Seats turned_away_;
  std::unique_ptr<TcpDoor> door_;
  std::optional<Result<std::string>> tcp_;
  std::shared_ptr<ServerCounts> counts_;
  Closing closing_;
  AcceptTrouble trouble_;
  asio::io_context io_{1};
  stream_protocol::acceptor acceptor_;
  LoopWaker waker_;
  Service service_;
  std::binary_semaphore ended_{0};
  std::thread thread_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::Server(Server&&) noexcept = default;
Server::~Server() = default;

Result<bool> Server::keep_socket() {
  return impl_->keep_socket();
}

const std::optional<Result<std::string>>& Server::tcp() const {
  return impl_->tcp();
}

Status Server::accepting() const {
  return impl_->accepting();
}

Status Server::tcp_health() const {
  return impl_->tcp_health();
}

Result<Server> Server::start(const ServerOptions& options, std::unique_ptr<const Handler> handler) {
  try {
    FTAP_TRY_ASSIGN(group, find_group(options.socket_group));
    FTAP_TRY_ASSIGN(listener, ListenSocket::open(options.socket_path, group));
    auto impl = std::make_unique<Impl>(std::move(listener), group, options, std::move(handler));
    if (options.tcp) impl->open_tcp(*options.tcp);
    FTAP_TRY(impl->start());
    return Server(std::move(impl));
  } catch (const boost::system::system_error& error) {
    return fail_errno(error.code().value(), "cannot start the API");
  } catch (const std::exception& error) {  // Asio's set-up: no descriptors, no memory, no thread
    return fail("cannot start the API: " + printable(error.what()));
  }
}

}  // namespace flowtap::http
