#include "http/server/tcp_door.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/node/listen_hint.hpp"
#include "base/printable.hpp"
#include "http/server/accepting.hpp"
#include "http/server/session.hpp"

namespace flowtap::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Handshakes of one network; each takes about a millisecond of the API's thread.
constexpr std::uint64_t kHandshakesPerSecond = 50;

Answer too_many_without_token() {
  return error_answer(429, "too many connections of this address have not shown a token yet",
                      "send the request when you connect, and keep the connection for the next ones");
}

Answer too_many_of_one() {
  return error_answer(
      429, "this address has as many connections open as it may",
      "close some, or use one for many requests: half of all places are kept for other addresses");
}

Status check(const TcpOptions& options, const asio::ip::address& host) {
  if (!host.is_loopback() && options.tls_certificate.empty())
    return fail("the API is served beyond this machine only over TLS",
                "name api.tls_certificate and api.tls_key, or listen on 127.0.0.1");
  return {};
}

}  // namespace

Result<std::unique_ptr<TcpDoor>> TcpDoor::open(const TcpOptions& options, asio::io_context& io,
                                               const Of& of) {
  std::unique_ptr<TcpDoor> door(new TcpDoor(options, of));
  FTAP_TRY(door->admit(options));
  FTAP_TRY(door->listen(options, io));
  return door;
}

TcpDoor::TcpDoor(const TcpOptions& options, const Of& of)
    : max_connections_(options.max_connections),
      followers_(of.max_followers),
      connections_(options.max_connections + of.max_followers),
      turned_away_(options.max_connections),
      shares_(std::max<std::size_t>(options.max_connections / 2, 1)),
      follower_shares_(std::max<std::size_t>(of.max_followers / 2, 1)),
      guests_(std::max<std::size_t>(options.max_connections / 4, 4)),
      rate_(options.rate),
      guest_rate_(options.rate),
      handshakes_(kHandshakesPerSecond),
      service_{.handler = of.handler,
               .limits = {.time = of.session_time, .greeting = options.greeting, .refusal = options.refusal},
               .followers = followers_,
               .waker = of.waker,
               .closing = of.closing,
               .counts = of.counts,
               .rate = &rate_,
               .guest_rate = &guest_rate_,
               .handshakes = options.tls_certificate.empty() ? nullptr : &handshakes_,
               .follower_shares = &follower_shares_} {}

Status TcpDoor::admit(const TcpOptions& options) {
  boost::system::error_code error;
  const auto host = asio::ip::make_address(options.host, error);
  if (error) return fail(in_quotes(options.host) + " is not a numeric address", "such as 127.0.0.1 or ::1");
  FTAP_TRY(check(options, host));
  FTAP_TRY_ASSIGN(gate, options.open_gate());
  gate_ = std::move(gate);
  service_.gate = gate_.get();
  if (!options.tls_certificate.empty()) {
    FTAP_TRY_ASSIGN(keys, TlsKeys::load(options.tls_certificate, options.tls_key));
    keys_.emplace(std::move(keys));
  }
  return {};
}

Status TcpDoor::listen(const TcpOptions& options, asio::io_context& io) {
  const auto host = asio::ip::make_address(options.host);
  const tcp::endpoint endpoint(host, options.port);
  tcp::acceptor& acceptor = acceptor_.emplace(io);
  boost::system::error_code error;
  if (acceptor.open(endpoint.protocol(), error) ||
      acceptor.set_option(asio::socket_base::reuse_address(true), error) || acceptor.bind(endpoint, error) ||
      acceptor.listen(asio::socket_base::max_listen_connections, error))
    return fail_errno(error.value(), "cannot listen on " + options.host + ":" + std::to_string(options.port),
                      listen_hint(error.value(), options.port, "api.address"));
  const std::string named = host.is_v6() ? "[" + host.to_string() + "]" : host.to_string();
  where_ = (keys_ ? "https://" : "http://") + named + ":" + std::to_string(acceptor.local_endpoint().port());
  return {};
}

Status TcpDoor::health() {
  FTAP_TRY(trouble_.now());
  if (keys_) {
    const std::scoped_lock lock(keys_mutex_);
    FTAP_TRY(keys_->health());
  }
  return gate_->health();
}

std::shared_ptr<asio::ssl::context> TcpDoor::keys() {
  const std::scoped_lock lock(keys_mutex_);
  return keys_ ? keys_->context() : nullptr;
}

void TcpDoor::accept() {
  asio::co_spawn(acceptor_->get_executor(),
                 accept_all(*acceptor_, service_.closing, trouble_,
                            [this](tcp::socket socket) { take(std::move(socket)); }),
                 asio::detached);
}

void TcpDoor::close() {
  boost::system::error_code ignored;
  if (acceptor_) (void)acceptor_->close(ignored);
}

void TcpDoor::end() {
  gate_.reset();
  acceptor_.reset();
}

void TcpDoor::take(tcp::socket socket) {
  try {
    boost::system::error_code gone;
    const auto remote = socket.remote_endpoint(gone);
    if (gone) return;
    auto tls = keys();
    const auto executor = acceptor_->get_executor();
    const std::string network = network_of(remote.address());
    const auto send_away = [&](Answer answer) {
      // A client without a place does not wait for a turn either.
      if (keys_ && handshakes_.take(network, RateLimit::Clock::now()) > std::chrono::milliseconds(0))
        return service_.counts.add(AnswerCounts::kNone);
      seat(executor, turned_away_, service_.counts,
           turn_away(std::move(socket), std::move(answer), kTurnAway, service_.counts, std::move(tls)));
    };
    auto place = shares_.take(network);
    auto guest = guests_.take(network);
    if (!place) return send_away(too_many_of_one());
    if (!guest) return send_away(too_many_without_token());
    if (connections_.taken() - followers_.taken() >= max_connections_) return send_away(full_house());
    seat(executor, connections_, service_.counts,
         serve(std::move(socket), service_, std::move(tls), {network, std::move(place), std::move(guest)}));
  } catch (const std::exception&) {
    return;  // there is no memory for this one
  }
}

}  // namespace flowtap::http
