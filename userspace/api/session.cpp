#include "api/session.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "api/flow_routes.hpp"
#include "api/gzip.hpp"
#include "api/negotiation.hpp"
#include "api/streaming.hpp"

namespace flowtap::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

beast::string_view view(std::string_view text) {
  return {text.data(), text.size()};
}

/// Which of the forms of an answer is sent.
struct Representation {
  std::string tag = {};  ///< empty: it is to be kept by nobody
  bool gzip = false;
};

/// Makes the answer what the client takes of it: packed, or nothing where it has that already.
Representation negotiate(Answer& answer, const AnswerForm& form) {
  if (answer.status != 200) return {};
  const std::string tag = entity_tag(answer.body);
  Representation sent{tag};
  if (form.gzip && answer.body.size() > kLeastToGzip) sent = {gzip_tag(tag), true};
  if (has_already(form.if_none_match, sent.tag)) {
    answer.status = 304;
  } else if (sent.gzip) {
    if (auto packed = gzip(answer.body))
      answer.body = std::move(*packed);
    else
      sent = {tag};
  }
  return sent;
}

template <typename Response>
void set_head(Response& response, const Answer& answer, const Representation& sent, bool keep_alive) {
  const bool has_body = answer.status != 304;
  if (has_body) response.set(http::field::content_type, "application/json");
  response.set(http::field::cache_control, sent.tag.empty() ? "no-store" : "no-cache");
  if (!sent.tag.empty()) {
    response.set(http::field::etag, sent.tag);
    response.set(http::field::vary, "Accept-Encoding");
  }
  if (sent.gzip && has_body) response.set(http::field::content_encoding, "gzip");
  if (answer.status == 401) response.set(http::field::www_authenticate, "Bearer realm=\"flowtap\"");
  if (!answer.allow.empty()) response.set(http::field::allow, view(answer.allow));
  if (answer.retry_after > std::chrono::seconds(0))
    response.set(http::field::retry_after, std::to_string(answer.retry_after.count()));
  response.keep_alive(keep_alive);
  if (has_body) response.content_length(answer.body.size());
}

/// Writes the answer; for HEAD its header alone, with the length that the body would have.
asio::awaitable<bool> send(Connection& connection, Answer answer, AnswerForm form) {
  const Representation sent = negotiate(answer, form);
  const auto status = http::int_to_status(answer.status);
  if (form.head || answer.status == 304) {
    http::response<http::empty_body> response(status, form.version);
    set_head(response, answer, sent, form.keep_alive);
    http::response_serializer<http::empty_body> serializer(response);
    const auto [error, bytes] = co_await http::async_write_header(connection, serializer, kAwait);
    co_return !error;
  }
  http::response<http::string_body> response(status, form.version);
  set_head(response, answer, sent, form.keep_alive);
  response.body() = std::move(answer.body);
  const auto [error, bytes] = co_await http::async_write(connection, response, kAwait);
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

/// Who has no token gets the same answer to every request, so that it tells nothing of what there is; and not at once, so that
/// nobody guesses fast.
asio::awaitable<void> refuse(Connection& connection, Answer answer, AnswerForm form,
                             const SessionLimits& limits) {
  if (answer.status == 401) {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    pause.expires_after(limits.refusal);
    co_await pause.async_wait(kAwait);
  }
  form.keep_alive = false;
  connection.expires_after(limits.greeting);
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

using Parser = http::request_parser<http::string_body>;

/// The values of a header that is a list, which may stand in several lines.
std::string list_in(const Parser& parser, http::field name) {
  std::string all;
  const auto [begin, end] = parser.get().equal_range(name);
  for (auto line = begin; line != end; ++line)
    all.append(all.empty() ? "" : ",").append(line->value().data(), line->value().size());
  return all;
}

AnswerForm form_of(const Parser& parser) {
  const auto& request = parser.get();
  return {request.version(), request.keep_alive(), request.method() == http::verb::head};
}

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

/// Reads on until `parser` says that it has what it is to have.
asio::awaitable<beast::error_code> read_until(Connection& connection, beast::flat_buffer& buffer,
                                              Parser& parser, bool (Parser::*done)() const) {
  while (!(parser.*done)()) {
    const auto [error, received] = co_await http::async_read_some(connection, buffer, parser, kAwait);
    if (error) co_return error;
  }
  co_return beast::error_code();
}

/// Who asks over TCP.
struct Caller {
  std::optional<Guests::Guest> guest;  ///< until it has shown a token
  std::string network;
};

enum class Next : std::uint8_t { kAnswer, kRead, kEnd };

/// Whether this request may be asked now; if not, it is answered here.
asio::awaitable<Next> keep_pace(Connection& connection, const Parser& parser, const Service& service,
                                const Caller& caller) {
  RateLimit* const rate = caller.guest ? service.guest_rate : service.rate;
  if (rate == nullptr) co_return Next::kAnswer;
  const auto wait = rate->take(caller.network, RateLimit::Clock::now());
  if (wait == std::chrono::milliseconds(0)) co_return Next::kAnswer;
  Answer answer = error_answer(
      429, "this address asks more often than it may",
      "wait for as many seconds as Retry-After says, or raise api.rate in flowtapd's configuration");
  answer.retry_after = std::chrono::ceil<std::chrono::seconds>(wait);
  AnswerForm form = form_of(parser);
  form.keep_alive =
      form.keep_alive && !caller.guest && parser.is_done();  // or the body would be the next request
  if (!co_await send(connection, std::move(answer), form)) co_return Next::kEnd;
  if (form.keep_alive) co_return Next::kRead;
  co_await linger(connection);
  co_return Next::kEnd;
}

/// Reads the header of the next request, and then, if that has the token that it needs, the body. What is not to be answered as a
/// request has been told so, if there is something to be told.
asio::awaitable<Next> read_request(Connection& connection, beast::flat_buffer& buffer, Parser& parser,
                                   const Service& service, Caller& caller) {
  const SessionLimits& limits = service.limits;
  parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  // None yet, or a length that is too large would be told before the token was looked at.
  parser.body_limit(boost::none);
  std::optional<Closing::Listener> idle(std::in_place, service.closing,
                                        [&connection] { connection.cancel(); });
  auto error = co_await read_until(connection, buffer, parser, &Parser::is_header_done);
  idle.reset();
  std::optional<Answer> refused = error ? answer_to(error, limits) : std::nullopt;
  if (error && !refused) co_return Next::kEnd;
  if (!error)
    if (const Next next = co_await keep_pace(connection, parser, service, caller); next != Next::kAnswer)
      co_return next;
  if (service.admission != nullptr) {
    std::optional<Answer> no;
    if (!error)
      no = co_await refusal_of(*service.admission, text_of(parser.get()[http::field::authorization]),
                               text_of(parser.get().target()));
    else if (caller.guest)
      no = no_token();
    if (no) {
      if (service.guest_rate != nullptr && no->status == 401)
        service.guest_rate->refused(caller.network, RateLimit::Clock::now());
      co_await refuse(connection, std::move(*no), error ? AnswerForm() : form_of(parser), limits);
      co_return Next::kEnd;
    }
  }
  if (!error) {
    if (caller.guest) connection.expires_after(limits.time);
    caller.guest.reset();
    parser.body_limit(limits.body_bytes);
    if (parser.content_length_remaining().value_or(0) > limits.body_bytes)
      error = http::error::body_limit;  // and no memory is taken for it
    else
      error = co_await read_until(connection, buffer, parser, &Parser::is_done);
    if (error) refused = answer_to(error, limits);
  }
  connection.expires_after(limits.time);
  if (refused && co_await send(connection, std::move(*refused), {})) co_await linger(connection);
  co_return error ? Next::kEnd : Next::kAnswer;
}

}  // namespace

asio::awaitable<void> serve(Socket socket, const Service& service, std::shared_ptr<TlsContext> tls,
                            std::optional<Guests::Guest> guest) {
  const SessionLimits& limits = service.limits;
  Connection connection(std::move(socket), std::move(tls));
  Caller caller{std::move(guest), {}};
  if (caller.guest) caller.network = caller.guest->network();
  connection.expires_after(caller.guest ? limits.greeting : limits.time);
  {
    const Closing::Listener early(service.closing, [&connection] { connection.cancel(); });
    if (!co_await connection.handshake()) co_return;
  }
  beast::flat_buffer buffer(limits.header_bytes + limits.body_bytes);
  while (!service.closing.begun()) {
    Parser parser;
    if (!caller.guest) connection.expires_after(limits.time);
    const Next next = co_await read_request(connection, buffer, parser, service, caller);
    if (next == Next::kEnd) co_return;
    if (next == Next::kRead) continue;
    const auto& request = parser.get();
    const auto method = request.method_string();
    const auto target = request.target();
    Answer answer =
        route({{method.data(), method.size()}, {target.data(), target.size()}, !service.followers.full()},
              service.node);
    AnswerForm form = form_of(parser);
    form.gzip = accepts_gzip(list_in(parser, http::field::accept_encoding));
    const std::string if_none_match = list_in(parser, http::field::if_none_match);
    form.if_none_match = if_none_match;
    form.keep_alive = form.keep_alive && !service.closing.begun();
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
      if (!co_await send_stream(connection, std::move(*answer.stream), form, service.bell, service.closing,
                                limits.time))
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
