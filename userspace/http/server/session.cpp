#include "http/server/session.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <utility>

#include "http/negotiation.hpp"
#include "http/server/answering.hpp"
#include "http/server/request_reading.hpp"
#include "http/server/streaming.hpp"

namespace flowtap::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

// The session does not listen for the end of the service any longer.
constexpr std::chrono::milliseconds kLongestTurn{100};

constexpr auto kServer = asio::ssl::stream_base::server;

/// True once the connection speaks HTTP. The wait for its turn does not extend the deadline.
asio::awaitable<bool> is_ready(Connection& connection, const Service& service, const Caller& caller) {
  if (service.handshakes == nullptr) co_return !co_await connection.handshake(kServer);
  asio::steady_timer turn(co_await asio::this_coro::executor);
  const auto end = RateLimit::Clock::now() + service.limits.greeting;
  while (true) {
    const auto now = RateLimit::Clock::now();
    const auto wait = service.handshakes->take(caller.network, now);
    if (wait == std::chrono::milliseconds(0)) break;
    if (now + wait > end || service.closing.begun()) co_return false;
    turn.expires_after(std::min<std::chrono::milliseconds>(wait, kLongestTurn));
    co_await turn.async_wait(kAwait);
  }
  co_return !co_await connection.handshake(kServer);
}

}  // namespace

asio::awaitable<void> serve(Socket socket, const Service& service, std::shared_ptr<TlsContext> tls,
                            Caller caller) {
  const SessionLimits& limits = service.limits;
  Connection connection(std::move(socket), std::move(tls));
  connection.expires_after(caller.guest ? limits.greeting : limits.time);
  {
    const Closing::Listener early(service.closing, [&connection] { connection.cancel(); });
    if (!co_await is_ready(connection, service, caller)) co_return service.counts.add(AnswerCounts::kNone);
  }
  beast::flat_buffer buffer(limits.header_bytes + limits.body_bytes);
  while (!service.closing.begun()) {
    RequestParser parser;
    if (!caller.guest) connection.expires_after(limits.time);
    const Next next = co_await read_request(connection, buffer, parser, service, caller);
    if (next == Next::kEnd) co_return;
    if (next == Next::kRead) continue;
    const auto& request = parser.get();
    const auto method = request.method_string();
    const auto target = request.target();
    const bool may_follow = !service.followers.full() && (service.follower_shares == nullptr ||
                                                          service.follower_shares->has_room(caller.network));
    Answer answer =
        service.handler.answer({{method.data(), method.size()}, {target.data(), target.size()}, may_follow});
    AnswerForm form = form_of(parser);
    form.gzip = accepts_gzip(list_in(parser, http::field::accept_encoding));
    const std::string if_none_match = list_in(parser, http::field::if_none_match);
    form.if_none_match = if_none_match;
    form.keep_alive = form.keep_alive && !service.closing.begun();
    const bool follow = answer.stream && answer.stream->follow;
    // answer() was told that there is a follower's place.
    const auto seat = follow ? service.followers.take() : std::nullopt;
    const auto share = follow && service.follower_shares != nullptr
                           ? service.follower_shares->take(caller.network)
                           : std::nullopt;
    if (answer.stream) {
      const Status ready = co_await prepare_stream(connection, *answer.stream);
      if (!ready) answer = service.handler.not_readable(ready.error());
    }
    if (answer.stream) {
      service.counts.add(answer.status);
      if (follow) caller.place.reset();  // it now has a follower's place, and no further request comes
      // When a follower's body ends, the client has sent something or gone. Without chunks, only the end of the
      // connection ends a body.
      form.keep_alive = form.keep_alive && !follow && form.version >= 11;
      if (!co_await send_stream(connection, std::move(*answer.stream), form, service.waker, service.closing,
                                limits.time))
        co_return;
    } else if (!co_await send(connection, std::move(answer), form, service.counts)) {
      co_return;
    }
    if (!form.keep_alive) co_return co_await linger(connection);
  }
}

asio::awaitable<void> turn_away(Socket socket, Answer answer, SessionLimits limits, AnswerCounts& counts,
                                std::shared_ptr<TlsContext> tls) {
  Connection connection(std::move(socket), std::move(tls));
  connection.expires_after(limits.time);
  if (co_await connection.handshake(kServer)) co_return counts.add(AnswerCounts::kNone);
  if (co_await send(connection, std::move(answer), {}, counts)) co_await linger(connection);
}

}  // namespace flowtap::http
