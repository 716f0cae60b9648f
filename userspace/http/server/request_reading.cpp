#include "http/server/request_reading.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <utility>

#include "http/server/admitting.hpp"
#include "http/server/answering.hpp"

namespace flowtap::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

/// A client without a token gets the same answer to every request, so that the answer tells nothing about what there
/// is. The answer comes late, so that nobody can guess fast.
asio::awaitable<void> refuse(Connection& connection, Answer answer, AnswerForm form, const Service& service) {
  if (answer.status == 401) {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    pause.expires_after(service.limits.refusal);
    co_await pause.async_wait(kAwait);
  }
  form.keep_alive = false;
  connection.expires_after(service.limits.greeting);
  if (co_await send(connection, std::move(answer), form, service.counts)) co_await linger(connection);
}

/// The answer to a request that could not be read; none if the client has gone or was too slow.
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

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

/// Reads on until `parser` has the part that it waits for.
asio::awaitable<beast::error_code> read_until(Connection& connection, beast::flat_buffer& buffer,
                                              RequestParser& parser, bool (RequestParser::*done)() const) {
  while (!(parser.*done)()) {
    const auto [error, received] = co_await http::async_read_some(connection, buffer, parser, kAwait);
    if (error) co_return error;
  }
  co_return beast::error_code();
}

/// Whether this request may be made now; if not, it is answered here.
asio::awaitable<Next> keep_pace(Connection& connection, const RequestParser& parser, const Service& service,
                                const Caller& caller) {
  RateLimit* const rate = caller.guest ? service.guest_rate : service.rate;
  if (rate == nullptr) co_return Next::kAnswer;
  const auto wait = rate->take(caller.network, RateLimit::Clock::now());
  if (wait == std::chrono::milliseconds(0)) co_return Next::kAnswer;
  Answer answer = error_answer(
      429, "this address asks more often than it may",
      "wait for the seconds that Retry-After names, or raise api.rate in flowtapd's configuration");
  answer.retry_after = std::chrono::ceil<std::chrono::seconds>(wait);
  AnswerForm form = form_of(parser);
  form.keep_alive = form.keep_alive && !caller.guest &&
                    parser.is_done();  // otherwise the body would be taken for the next request
  if (!co_await send(connection, std::move(answer), form, service.counts)) co_return Next::kEnd;
  if (form.keep_alive) co_return Next::kRead;
  co_await linger(connection);
  co_return Next::kEnd;
}

}  // namespace

std::string list_in(const RequestParser& parser, http::field name) {
  std::string all;
  const auto [begin, end] = parser.get().equal_range(name);
  for (auto line = begin; line != end; ++line)
    all.append(all.empty() ? "" : ",").append(line->value().data(), line->value().size());
  return all;
}

AnswerForm form_of(const RequestParser& parser) {
  const auto& request = parser.get();
  return {request.version(), request.keep_alive(), request.method() == http::verb::head};
}

asio::awaitable<Next> read_request(Connection& connection, beast::flat_buffer& buffer, RequestParser& parser,
                                   const Service& service, Caller& caller) {
  const SessionLimits& limits = service.limits;
  parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  // No limit yet: a body that is too large would be reported before the token was checked.
  parser.body_limit(boost::none);
  std::optional<Closing::Listener> idle(std::in_place, service.closing,
                                        [&connection] { connection.cancel(); });
  auto error = co_await read_until(connection, buffer, parser, &RequestParser::is_header_done);
  idle.reset();
  std::optional<Answer> refused = error ? answer_to(error, limits) : std::nullopt;
  if (error && !refused) co_return Next::kEnd;
  if (!error)
    if (const Next next = co_await keep_pace(connection, parser, service, caller); next != Next::kAnswer)
      co_return next;
  if (service.gate != nullptr) {
    std::optional<Answer> no;
    if (!error)
      no = co_await refusal_of(*service.gate, text_of(parser.get()[http::field::authorization]),
                               text_of(parser.get().target()));
    else if (caller.guest)
      no = service.gate->no_token();
    if (no) {
      if (service.guest_rate != nullptr && no->status == 401)
        service.guest_rate->refused(caller.network, RateLimit::Clock::now());
      co_await refuse(connection, std::move(*no), error ? AnswerForm() : form_of(parser), service);
      co_return Next::kEnd;
    }
  }
  if (!error) {
    if (caller.guest) connection.expires_after(limits.time);
    caller.guest.reset();
    parser.body_limit(limits.body_bytes);
    if (parser.content_length_remaining().value_or(0) > limits.body_bytes)
      error = http::error::body_limit;  // no memory is taken for the body
    else
      error = co_await read_until(connection, buffer, parser, &RequestParser::is_done);
    if (error) refused = answer_to(error, limits);
  }
  connection.expires_after(limits.time);
  if (refused && co_await send(connection, std::move(*refused), {}, service.counts))
    co_await linger(connection);
  co_return error ? Next::kEnd : Next::kAnswer;
}

}  // namespace flowtap::http
