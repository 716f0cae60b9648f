#include "api/session.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "api/flow_routes.hpp"
#include "api/streaming.hpp"

namespace flowtap::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

template <typename Response>
void set_head(Response& response, const Answer& answer, bool keep_alive) {
  response.set(http::field::content_type, "application/json");
  response.set(http::field::cache_control, "no-store");
  if (answer.status == 401) response.set(http::field::www_authenticate, "Bearer realm=\"flowtap\"");
  if (!answer.allow.empty())
    response.set(http::field::allow, beast::string_view(answer.allow.data(), answer.allow.size()));
  response.keep_alive(keep_alive);
  response.content_length(answer.body.size());
}

/// Writes the answer; for HEAD its header alone, with the length that the body would have.
asio::awaitable<bool> send(Connection& connection, Answer answer, AnswerForm form) {
  const auto status = http::int_to_status(answer.status);
  if (form.head) {
    http::response<http::empty_body> response(status, form.version);
    set_head(response, answer, form.keep_alive);
    http::response_serializer<http::empty_body> serializer(response);
    const auto [error, sent] = co_await http::async_write_header(connection, serializer, kAwait);
    co_return !error;
  }
  http::response<http::string_body> response(status, form.version);
  set_head(response, answer, form.keep_alive);
  response.body() = std::move(answer.body);
  const auto [error, sent] = co_await http::async_write(connection, response, kAwait);
  co_return !error;
}

/// Closes so that the client still reads the answer while it sends: what it sends is taken and thrown away,
/// for a moment.
asio::awaitable<void> linger(Connection& connection) {
  static constexpr std::size_t kAtMost = 1U << 20U;
  connection.expires_after(std::chrono::seconds(1));
  co_await connection.shut();
  if (connection.is_tls()) co_return;  // that waited for the client's word, too
  std::array<char, 4096> waste{};
  for (std::size_t taken = 0; taken < kAtMost;) {
    const auto [error, n] = co_await connection.async_read_some(asio::buffer(waste), kAwait);
    if (error) break;
    taken += n;
  }
}

/// The same answer for every request, so that it tells nothing of what there is; and not at once, so that nobody guesses fast.
asio::awaitable<void> refuse_token(Connection& connection, AnswerForm form, const SessionLimits& limits) {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  pause.expires_after(limits.refusal);
  co_await pause.async_wait(kAwait);
  connection.expires_after(limits.time);
  auto answer = error_answer(
      401, "this request has no valid token",
      "send one of those in api.token_file of flowtapd's configuration, as Authorization: Bearer TOKEN");
  if (co_await send(connection, std::move(answer), form)) co_await linger(connection);
}

/// What a request that could not be read is answered with; none where the client has just gone or been too
/// slow.
std::optional<Answer> answer_to(const beast::error_code& error, const SessionLimits& limits) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return error_answer(
        431, "the header of the request is larger than " + std::to_string(limits.header_bytes) + " bytes",
        "send a shorter one");
  if (error == http::error::body_limit)
    return error_answer(
        413, "the body of the request is larger than " + std::to_string(limits.body_bytes) + " bytes",
        "send a shorter one");
  if (error == http::error::end_of_stream) return std::nullopt;
  if (error == http::error::partial_message)
    return error_answer(400, "the request ended before it was complete");
  if (error.category() == make_error_code(http::error::bad_method).category())
    return error_answer(400, "the request is not HTTP: " + error.message());
  return std::nullopt;
}

}  // namespace

asio::awaitable<void> serve(Socket socket, const Service& service, std::shared_ptr<TlsContext> tls) {
  const SessionLimits& limits = service.limits;
  Connection connection(std::move(socket), std::move(tls));
  connection.expires_after(limits.time);
  if (!co_await connection.handshake()) co_return;
  beast::flat_buffer buffer(limits.header_bytes + limits.body_bytes);
  while (true) {
    http::request_parser<http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    parser.body_limit(limits.body_bytes);
    connection.expires_after(limits.time);
    const auto [error, received] = co_await http::async_read(connection, buffer, parser, kAwait);
    connection.expires_after(limits.time);
    if (error) {
      auto refused = answer_to(error, limits);
      if (refused && co_await send(connection, std::move(*refused), {})) co_await linger(connection);
      co_return;
    }
    const auto& request = parser.get();
    if (service.tokens != nullptr) {
      const auto given = request[http::field::authorization];
      if (!service.tokens->accepts({given.data(), given.size()})) {
        co_await refuse_token(connection, {request.version(), false, request.method() == http::verb::head},
                              limits);
        co_return;
      }
    }
    const auto method = request.method_string();
    const auto target = request.target();
    Answer answer =
        route({{method.data(), method.size()}, {target.data(), target.size()}, !service.followers.full()},
              service.node);
    AnswerForm form{request.version(), request.keep_alive(), request.method() == http::verb::head};
    const bool follow = answer.stream && answer.stream->follow;
    // route() has seen that there is one.
    const auto seat = follow ? service.followers.take() : std::nullopt;
    if (answer.stream) {
      const Status ready = co_await prepare_stream(connection, *answer.stream);
      if (!ready) answer = view_error(ready.error());
    }
    if (answer.stream) {
      // A follower has spoken or gone when its body ends; and without chunks only the connection's end ends one.
      form.keep_alive = form.keep_alive && !follow && form.version >= 11;
      if (!co_await send_stream(connection, std::move(*answer.stream), form, service.bell, limits.time))
        co_return;
    } else if (!co_await send(connection, std::move(answer), form)) {
      co_return;
    }
    if (!form.keep_alive) co_return co_await linger(connection);
  }
}

asio::awaitable<void> turn_away(Socket socket, Answer answer, SessionLimits limits,
                                std::shared_ptr<TlsContext> tls) {
  Connection connection(std::move(socket), std::move(tls));
  connection.expires_after(limits.time);
  if (co_await connection.handshake() && co_await send(connection, std::move(answer), {}))
    co_await linger(connection);
}

}  // namespace flowtap::api
