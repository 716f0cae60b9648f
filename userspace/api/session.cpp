#include "api/session.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "base/printable.hpp"

namespace flowtap::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

using Stream = beast::basic_stream<asio::local::stream_protocol>;
// Errors come back as values: nothing here throws because of a peer.
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

template <typename Response>
void set_head(Response& response, const Answer& answer, bool keep_alive) {
  response.set(http::field::content_type, "application/json");
  response.set(http::field::cache_control, "no-store");
  if (!answer.allow.empty())
    response.set(http::field::allow, beast::string_view(answer.allow.data(), answer.allow.size()));
  response.keep_alive(keep_alive);
  response.content_length(answer.body.size());
}

/// Writes the answer; for HEAD its header alone, with the length that the body would have.
asio::awaitable<bool> send(Stream& stream, Answer answer, unsigned version, bool keep_alive, bool head) {
  const auto status = http::int_to_status(answer.status);
  if (head) {
    http::response<http::empty_body> response(status, version);
    set_head(response, answer, keep_alive);
    http::response_serializer<http::empty_body> serializer(response);
    const auto [error, sent] = co_await http::async_write_header(stream, serializer, kAwait);
    co_return !error;
  }
  http::response<http::string_body> response(status, version);
  set_head(response, answer, keep_alive);
  response.body() = std::move(answer.body);
  const auto [error, sent] = co_await http::async_write(stream, response, kAwait);
  co_return !error;
}

/// Closes so that the client still reads the answer while it sends: what it sends is taken and thrown away,
/// for a moment.
asio::awaitable<void> linger(Stream& stream) {
  static constexpr std::size_t kAtMost = 1U << 20U;
  beast::error_code gone;
  if (stream.socket().shutdown(asio::socket_base::shutdown_send, gone)) co_return;
  stream.expires_after(std::chrono::seconds(1));
  std::array<char, 4096> waste{};
  for (std::size_t taken = 0; taken < kAtMost;) {
    const auto [error, n] = co_await stream.async_read_some(asio::buffer(waste), kAwait);
    if (error) break;
    taken += n;
  }
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

asio::awaitable<void> serve(Socket socket, const NodeView& node, SessionLimits limits) {
  Stream stream(std::move(socket));
  beast::flat_buffer buffer(limits.header_bytes + limits.body_bytes);
  while (true) {
    http::request_parser<http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    parser.body_limit(limits.body_bytes);
    stream.expires_after(limits.time);
    const auto [error, received] = co_await http::async_read(stream, buffer, parser, kAwait);
    stream.expires_after(limits.time);
    if (error) {
      auto refused = answer_to(error, limits);
      if (refused && co_await send(stream, std::move(*refused), 11, false, false)) co_await linger(stream);
      co_return;
    }
    const auto& request = parser.get();
    const auto method = request.method_string();
    const auto target = request.target();
    Answer answer = route({{method.data(), method.size()}, {target.data(), target.size()}}, node);
    const bool keep_alive = request.keep_alive();
    const bool head = request.method() == http::verb::head;
    if (!co_await send(stream, std::move(answer), request.version(), keep_alive, head)) co_return;
    if (!keep_alive) co_return co_await linger(stream);
  }
}

asio::awaitable<void> turn_away(Socket socket, Answer answer, SessionLimits limits) {
  Stream stream(std::move(socket));
  stream.expires_after(limits.time);
  if (co_await send(stream, std::move(answer), 11, false, false)) co_await linger(stream);
}

}  // namespace flowtap::api
