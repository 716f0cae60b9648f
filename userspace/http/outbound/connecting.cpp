#include "http/outbound/connecting.hpp"

#include <openssl/evp.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <utility>

#include "base/printable.hpp"
#include "http/outbound/exchange.hpp"
#include "http/outbound/tls_fault.hpp"

namespace flowtap::http {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kLeastForOneAddress{250};

Error stopped() {
  return {"flowtapd does not wait for it any longer", {}, ECANCELED};
}

/// One address of several has only its share of the time, so that one that swallows everything leaves some for the others.
Patience share_of(const Patience& all, std::size_t addresses) {
  if (addresses == 1) return all;
  const auto most = std::max(all.left() / static_cast<int>(addresses), kLeastForOneAddress);
  return Patience::from_now(std::min(all.left(), most), {});
}

Error not_connected(const std::string& to, const boost::system::error_code& error, const Patience& patience) {
  if (error == boost::beast::error::timeout) return patience.error("no connection to " + to);
  return fail_errno(error.value(), "cannot connect to " + to).error();
}

asio::awaitable<Result<std::unique_ptr<Connection>>> connect_tcp(const Route& route, const Url& to,
                                                                 Patience patience) {
  const auto addresses = co_await route.resolving.addresses(to.host, patience);
  if (route.closing.begun()) co_return std::unexpected(stopped());
  if (!addresses) co_return std::unexpected(addresses.error());
  const auto executor = co_await asio::this_coro::executor;
  const auto port = static_cast<std::uint16_t>(std::stoul(to.port));
  std::optional<Error> first;
  for (std::size_t i = 0; i < addresses->size() && !patience.is_over(); ++i) {
    auto connection = std::make_unique<Connection>(Socket(executor));
    const Closing::Listener at_the_end(route.closing, [raw = connection.get()] { raw->close(); });
    const Patience share = share_of(patience, addresses->size() - i);
    const asio::ip::tcp::endpoint endpoint((*addresses)[i], port);
    const Socket::endpoint_type generic(endpoint);
    share.arm(*connection);
    const auto error = co_await connection->connect(generic);
    if (route.closing.begun()) co_return std::unexpected(stopped());
    if (!error) {
      boost::system::error_code as_it_was;
      (void)connection->socket().set_option(asio::ip::tcp::no_delay(true), as_it_was);
      co_return connection;
    }
    const std::string shown = (endpoint.address().is_v6() ? '[' + endpoint.address().to_string() + ']'
                                                          : endpoint.address().to_string()) +
                              ':' + to.port;
    Error failed = not_connected(shown, error, share);
    if (!first)
      first = std::move(failed);
    else
      first->what += "; " + failed.what;
  }
  co_return std::unexpected(first ? *first : patience.error("no connection"));
}

std::string tunnel_head(const std::string& to, const Url& proxy) {
  const std::string authorization = proxy_authorization(proxy);
  std::string head = "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n";
  if (!authorization.empty()) head += "Proxy-Authorization: " + authorization + "\r\n";
  return head + "\r\n";
}

/// What a proxy's answer to CONNECT means.
Status opened(const Result<ClientResponse>& answer, const std::string& to, const Exchange& exchange) {
  if (!answer) return std::unexpected(answer.error());
  if (answer->status == 407)
    return std::unexpected(Error{"it wants a user and a password (407)",
                                 "name both in the proxy's URL, as http://USER:PASSWORD@HOST:PORT", EACCES});
  if (answer->status / 100 != 2)
    return std::unexpected(Error{
        "it answers " + std::to_string(answer->status) + " when asked for a way to " + to,
        "does the proxy allow this server? NO_PROXY lists those that are asked without it", ECONNREFUSED});
  // A server speaks TLS only after its client did.
  if (!exchange.is_exact()) return std::unexpected(Error{"it says more than it was asked", {}, EPROTO});
  return {};
}

asio::awaitable<Status> secure(Connection& connection, const Route& route, std::shared_ptr<TlsContext> tls,
                               Patience patience) {
  CertificateCheck check;
  const Closing::Listener at_the_end(route.closing, [&connection] { connection.close(); });
  SSL* session = connection.start_tls(std::move(tls));
  if (!check.demand(session, route.server.host, route.files.names()))
    co_return std::unexpected(Error{"no memory for a TLS connection", {}, ENOMEM});
  patience.arm(connection);
  const auto error = co_await connection.handshake(asio::ssl::stream_base::client);
  check.forget(session);
  if (!error) co_return Status();
  if (route.closing.begun()) co_return std::unexpected(stopped());
  if (check.refusal()) co_return std::unexpected(*check.refusal());
  if (error == boost::beast::error::timeout) co_return std::unexpected(patience.error("no TLS handshake"));
  if (auto fault = tls_fault(error, route.files.files(), route.files.names()))
    co_return std::unexpected(*fault);
  co_return std::unexpected(
      Error{"it ended the connection in the TLS handshake: " + printable(error.message()), {}, ECONNRESET});
}

}  // namespace

std::string proxy_authorization(const Url& proxy) {
  if (proxy.user.empty()) return {};
  std::string coded(4 * (proxy.user.size() / 3 + 1) + 1, '\0');  // and the 0 that OpenSSL writes behind it
  const int size = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                                     reinterpret_cast<const unsigned char*>(proxy.user.data()),
                                     static_cast<int>(proxy.user.size()));
  coded.resize(static_cast<std::size_t>(size));
  return "Basic " + coded;
}

asio::awaitable<Result<std::unique_ptr<Connection>>> connect(Route route, std::shared_ptr<TlsContext> tls,
                                                             Patience patience) {
  const Url& to = route.proxy ? *route.proxy : route.server;
  const std::string proxy = route.proxy ? "the proxy http://" + route.proxy->host_and_port() : "";
  auto connection = co_await connect_tcp(route, to, patience);
  if (!connection && route.proxy) co_return std::unexpected(std::move(connection).error().in(proxy));
  if (!connection || !tls) co_return connection;
  if (route.proxy) {
    const std::string server = route.server.host_and_port();
    const std::string head = tunnel_head(server, *route.proxy);
    Exchange exchange(**connection,
                      {route.limits, route.files.files(), route.files.names(), route.closing, patience});
    const auto answer = co_await exchange.ask(head, {}, true);
    auto way = opened(answer, server, exchange);
    if (!way) co_return std::unexpected(std::move(way).error().in(proxy));
  }
  auto secured = co_await secure(**connection, route, std::move(tls), patience);
  if (!secured) co_return std::unexpected(std::move(secured).error());
  co_return connection;
}

}  // namespace flowtap::http
