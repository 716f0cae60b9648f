#include "http/outbound/client.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "http/outbound/client_loop.hpp"
#include "http/outbound/client_tls.hpp"
#include "http/outbound/connecting.hpp"
#include "http/outbound/exchange.hpp"
#include "http/outbound/kept_connections.hpp"

namespace flowtap::http {
namespace {

namespace asio = boost::asio;

// They say where the request goes and where it ends.
constexpr std::array<std::string_view, 4> kOwnHeaders = {"Host", "Content-Length", "Transfer-Encoding",
                                                         "Connection"};

bool is_same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, to_lower, to_lower);
}

// A line break would begin another header, or another request.
bool is_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

Status check(const ClientRequest& request) {
  if (!is_word(request.method) || !is_word(request.target) || !request.target.starts_with('/'))
    return fail("the method or the path of a request has an invalid character");
  for (const auto& [name, value] : request.headers) {
    if (!is_word(name) || name.contains(':') || !is_line(value))
      return fail("the header " + in_quotes(name) + " of a request has an invalid character");
    const auto is_own = [&name](std::string_view own) { return is_same_name(own, name); };
    if (std::ranges::any_of(kOwnHeaders, is_own))
      return fail("the header " + in_quotes(name) + " of a request is the client's own");
  }
  return {};
}

}  // namespace

std::optional<std::string_view> ClientResponse::header(std::string_view name) const {
  for (const auto& [one, value] : headers)
    if (is_same_name(one, name)) return value;
  return std::nullopt;
}

class HttpClient::Impl {
 public:
  Impl(ClientLoop::Impl& loop, ClientOptions options, Url server, std::optional<Url> proxy)
      : loop_(loop),
        limits_(options.limits),
        server_(std::move(server)),
        proxy_(std::move(proxy)),
        files_(std::move(options.tls), std::move(options.names)),
        resolving_(std::move(options.resolve), loop.waker(), loop.closing()),
        kept_(limits_) {}

  [[nodiscard]] asio::io_context& io() { return loop_.io(); }
  [[nodiscard]] std::size_t connections() const { return connections_; }

  /// All of one request. A kept connection may have ended while the request was on its way, so there is a second try for those that
  /// may arrive twice.
  asio::awaitable<Result<ClientResponse>> run(ClientRequest request) {
    const Patience patience = Patience::from_now(limits_.whole, limits_.silence);
    if (const auto good = check(request); !good) co_return std::unexpected(good.error());
    if (loop_.closing().begun())
      co_return std::unexpected(Error{"flowtapd does not wait for it any longer", {}, ECANCELED});
    std::shared_ptr<TlsContext> tls;
    if (server_.tls) {
      auto context = files_.context();
      if (!context) co_return std::unexpected(std::move(context).error());
      tls = std::move(*context);
    }
    ClientConnection used = kept_.take(tls);
    const bool was_kept = used.connection != nullptr;
    bool is_lost = false;
    if (was_kept) {
      auto answer = co_await exchange(used, request, patience, is_lost);
      // What ended one of them has ended the others, too.
      if (!answer) kept_.clear();
      if (answer || !is_lost || !request.repeatable) co_return answer;
    }
    auto connection = co_await fresh(tls, patience);
    if (!connection) co_return std::unexpected(std::move(connection).error());
    used = {std::move(*connection), std::move(tls)};
    co_return co_await exchange(used, request, patience, is_lost);
  }

 private:
  asio::awaitable<Result<std::unique_ptr<Connection>>> fresh(std::shared_ptr<TlsContext> tls,
                                                             Patience whole) {
    Patience patience = Patience::from_now(std::min(limits_.connect, limits_.whole), {});
    patience.end = std::min(patience.end, whole.end);
    const Route route{server_, proxy_, resolving_, files_, limits_, loop_.closing()};
    auto connection = co_await connect(route, std::move(tls), patience);
    if (connection) ++connections_;
    co_return connection;
  }

  /// `is_lost`: the connection ended before the answer began.
  asio::awaitable<Result<ClientResponse>> exchange(ClientConnection& used, const ClientRequest& request,
                                                   Patience patience, bool& is_lost) {
    Exchange one(*used.connection, {limits_, files_.files(), files_.names(), loop_.closing(), patience});
    const std::string head = head_of(request);
    auto answer = co_await one.ask(head, request.body, request.method == "HEAD");
    if (!answer) {
      is_lost = !one.is_answered() && answer.error().code == ECONNRESET;
      co_return answer;
    }
    const bool is_success = answer->status / 100 == 2;
    auto body = co_await one.read_body(is_success ? request.take : nullptr);
    if (!body) co_return std::unexpected(std::move(body).error());
    answer->body = std::move(*body);
    if (one.is_reusable()) kept_.put(std::move(used));
    co_return answer;
  }

  [[nodiscard]] std::string head_of(const ClientRequest& request) const {
    // A proxy that does not tunnel has to know the whole address.
    const bool is_forwarded = proxy_ && !server_.tls;
    std::string head = request.method + ' ' +
                       (is_forwarded ? "http://" + server_.authority() : std::string()) + server_.prefix +
                       request.target + " HTTP/1.1\r\nHost: " + server_.authority() + "\r\n";
    if (const auto authorization = is_forwarded ? proxy_authorization(*proxy_) : std::string();
        !authorization.empty())
      head += "Proxy-Authorization: " + authorization + "\r\n";
    for (const auto& [name, value] : request.headers) {
      head += name;
      head += ": ";
      head += value;
      head += "\r\n";
    }
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT")
      head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    return head + "\r\n";
  }

  ClientLoop::Impl& loop_;
  const ClientLimits limits_;
  const Url server_;
  const std::optional<Url> proxy_;
  ClientTls files_;
  Resolving resolving_;
  KeptConnections kept_;
  std::size_t connections_ = 0;
};

HttpClient::HttpClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::open(ClientLoop& loop, ClientOptions options) {
  FTAP_TRY_ASSIGN(server, parse_url(options.url));
  if (!server.user.empty())
    return fail("the URL of " + server.host_and_port() + " has a user, which nobody would be told",
                "name the user and the password in the settings for them");
  FTAP_TRY_ASSIGN(proxy, proxy_for(options.proxy, server));
  return HttpClient(
      std::make_shared<Impl>(*loop.impl_, std::move(options), std::move(server), std::move(proxy)));
}

void HttpClient::ask(ClientRequest request, Answered answered) {
  // The request keeps what it uses: the client may be gone before the answer.
  asio::co_spawn(
      impl_->io(),
      [](std::shared_ptr<Impl> impl, ClientRequest one) -> asio::awaitable<Result<ClientResponse>> {
        co_return co_await impl->run(std::move(one));
      }(impl_, std::move(request)),
      [answered = std::move(answered)](const std::exception_ptr& failed, Result<ClientResponse> answer) {
        if (failed) answer = std::unexpected(Error{"no memory to ask it", {}, ENOMEM});
        answered(std::move(answer));
      });
}

std::size_t HttpClient::connections() const {
  return impl_->connections();
}

}  // namespace flowtap::http
