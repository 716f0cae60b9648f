#include "api/server.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <semaphore>
#include <thread>

#include "api/listen_socket.hpp"
#include "api/peer.hpp"
#include "api/session.hpp"
#include "api/tls_keys.hpp"
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
        drain_(options.drain),
        max_connections_(options.max_connections),
        followers_(options.max_followers),
        connections_(options.max_connections + options.max_followers),
        turned_away_(options.max_connections),
        acceptor_(io_),
        tcp_acceptor_(io_),
        bell_(io_),
        service_{node, {.time = options.session_time}, followers_, bell_, closing_} {}

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
    bell_.close();  // before io_ ends, which those who capture do not know of
  }

  /// Where it listens. Before start().
  Result<std::string> listen(const TcpOptions& options, std::chrono::milliseconds time) {
    boost::system::error_code error;
    const auto host = asio::ip::make_address(options.host, error);
    if (error) return fail(in_quotes(options.host) + " is no numeric address", "such as 127.0.0.1 or ::1");
    if (options.token_file.empty() && options.kube.server.empty())
      return fail("the API is served over TCP only to who has a token",
                  "name a file of tokens in api.token_file, or Kubernetes in api.kubernetes_server");
    if (!host.is_loopback() && options.tls_certificate.empty())
      return fail("beyond this machine the API is served over TLS only",
                  "name api.tls_certificate and api.tls_key, or listen on 127.0.0.1");
    if (!options.token_file.empty()) {
      FTAP_TRY_ASSIGN(tokens, BearerTokens::load(options.token_file));
      admission_.tokens = &tokens_.emplace(std::move(tokens));
    }
    if (!options.kube.server.empty()) {
      const SignalsBlocked blocked;
      FTAP_TRY_ASSIGN(kube, completed(options.kube));
      FTAP_TRY_ASSIGN(access, KubeAccess::start(std::move(kube)));
      kube_ = std::move(access);
      admission_.kube = kube_.get();
    }
    if (!options.tls_certificate.empty()) {
      FTAP_TRY_ASSIGN(keys, TlsKeys::load(options.tls_certificate, options.tls_key));
      keys_.emplace(std::move(keys));
    }
    const asio::ip::tcp::endpoint endpoint(host, options.port);
    if (tcp_acceptor_.open(endpoint.protocol(), error) ||
        tcp_acceptor_.set_option(asio::socket_base::reuse_address(true), error) ||
        tcp_acceptor_.bind(endpoint, error) ||
        tcp_acceptor_.listen(asio::socket_base::max_listen_connections, error)) {
      boost::system::error_code ignored;
      (void)tcp_acceptor_.close(ignored);
      return fail(
          "cannot listen on " + options.host + ":" + std::to_string(options.port) + ": " + error.message(),
          "see who does, with ss -ltnp, or choose another api.address");
    }
    max_tcp_connections_ = options.max_connections;
    tcp_followers_.emplace(followers_.most());
    tcp_connections_.emplace(options.max_connections + followers_.most());
    tcp_turned_away_.emplace(options.max_connections);
    guests_.emplace(std::max<std::size_t>(options.max_connections / 4, 4));
    tcp_service_.emplace(Service{service_.node,
                                 {.time = time, .greeting = options.greeting, .refusal = options.refusal},
                                 *tcp_followers_,
                                 bell_,
                                 closing_,
                                 &admission_,
                                 &rate_.emplace(options.rate),
                                 &guest_rate_.emplace(options.rate)});
    const std::string named = host.is_v6() ? "[" + host.to_string() + "]" : host.to_string();
    return (keys_ ? "https://" : "http://") + named + ":" +
           std::to_string(tcp_acceptor_.local_endpoint().port());
  }

  void set_tcp(Result<std::string> tcp) { tcp_ = std::move(tcp); }
  [[nodiscard]] const std::optional<Result<std::string>>& tcp() const { return tcp_; }

  Status start() {
    Fd copy(::fcntl(listener_->fd(), F_DUPFD_CLOEXEC, 0));
    if (!copy.valid()) return fail_errno(errno, "cannot keep the API's socket");
    acceptor_.assign(stream_protocol(), copy.release());
    asio::co_spawn(io_, accept_all(acceptor_, &Impl::take), asio::detached);
    if (tcp_acceptor_.is_open())
      asio::co_spawn(io_, accept_all(tcp_acceptor_, &Impl::take_tcp), asio::detached);
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
    ended_.release();
  }

  /// The loop ends by itself when nobody is left.
  void close() {
    boost::system::error_code ignored;
    (void)acceptor_.close(ignored);
    (void)tcp_acceptor_.close(ignored);
    closing_.begin();
  }

  template <typename Acceptor>
  asio::awaitable<void> accept_all(Acceptor& acceptor,
                                   void (Impl::*seated)(typename Acceptor::protocol_type::socket)) {
    while (true) {
      auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
      if (closing_.begun()) co_return;
      if (!error) {
        (this->*seated)(std::move(socket));
        continue;
      }
      // Out of descriptors or memory: trying again at once would only burn the CPU that others need.
      asio::steady_timer pause(io_, std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }

  void take(stream_protocol::socket socket) {
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

  void take_tcp(asio::ip::tcp::socket socket) {
    try {
      boost::system::error_code gone;
      const auto remote = socket.remote_endpoint(gone);
      if (gone) return;
      auto tls = keys_ ? keys_->context() : nullptr;
      auto guest = guests_->take(network_of(remote.address()));
      if (!guest)
        seat(*tcp_turned_away_,
             turn_away(std::move(socket), too_many_without_token(), kTurnAway, std::move(tls)));
      else if (tcp_connections_->taken() - tcp_followers_->taken() >= max_tcp_connections_)
        seat(*tcp_turned_away_, turn_away(std::move(socket), full(), kTurnAway, std::move(tls)));
      else
        seat(*tcp_connections_, serve(std::move(socket), *tcp_service_, std::move(tls), std::move(guest)));
    } catch (const std::exception&) {
      return;  // no memory for this one
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

  static Answer too_many_without_token() {
    return error_answer(429, "too many connections of this address have not shown a token yet",
                        "send the request when you connect, and keep the connection for the next ones");
  }

  [[nodiscard]] Answer refusal() const {
    return error_answer(403, "this user may not use the API",
                        group_ ? "become root, or a member of the group in api.socket_group"
                               : "become root, or name a group in api.socket_group and join it");
  }

  static constexpr SessionLimits kTurnAway{.time = std::chrono::milliseconds(1000)};

  std::optional<ListenSocket> listener_;
  std::optional<gid_t> group_;
  std::chrono::milliseconds drain_;
  std::size_t max_connections_;
  // Before io_, whose end destroys the sessions that are counted here.
  Seats followers_;
  Seats connections_;  ///< followers among them
  Seats turned_away_;
  std::size_t max_tcp_connections_ = 0;
  std::optional<Seats> tcp_followers_;  // their own: who comes from afar takes no place of who is here
  std::optional<Seats> tcp_connections_;
  std::optional<Seats> tcp_turned_away_;
  std::optional<Guests> guests_;
  std::optional<RateLimit> rate_;
  std::optional<RateLimit> guest_rate_;
  std::optional<BearerTokens> tokens_;
  Admission admission_;
  std::optional<TlsKeys> keys_;
  std::optional<Result<std::string>> tcp_;
  Closing closing_;
  asio::io_context io_{1};
  stream_protocol::acceptor acceptor_;
  asio::ip::tcp::acceptor tcp_acceptor_;
  Bell bell_;
  Service service_;
  std::optional<Service> tcp_service_;
  std::unique_ptr<KubeAccess> kube_;  // behind io_, where its answers are put
  std::binary_semaphore ended_{0};
  std::thread thread_;
};

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiServer::ApiServer(ApiServer&&) noexcept = default;
ApiServer::~ApiServer() = default;

const std::optional<Result<std::string>>& ApiServer::tcp() const {
  return impl_->tcp();
}

Result<ApiServer> ApiServer::start(const ServerOptions& options, const NodeView& node) {
  try {
    FTAP_TRY_ASSIGN(group, find_group(options.socket_group));
    FTAP_TRY_ASSIGN(listener, ListenSocket::open(options.socket_path, group));
    auto impl = std::make_unique<Impl>(std::move(listener), group, options, node);
    if (options.tcp) impl->set_tcp(impl->listen(*options.tcp, options.session_time));
    FTAP_TRY(impl->start());
    return ApiServer(std::move(impl));
  } catch (const std::exception& error) {  // Asio's set-up: no descriptors, no memory, no thread
    return fail("cannot start the API: " + printable(error.what()));
  }
}

}  // namespace flowtap::api
