#include "http/outbound/exchange.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <string>
#include <utility>

#include "base/printable.hpp"
#include "base/text/grouped.hpp"
#include "http/outbound/tls_fault.hpp"

namespace flowtap::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

constexpr std::size_t kReadAtOnce = std::size_t{16} * 1024;
// Servers may say that they are still there (100, 102, 103), but not for ever.
constexpr int kMostInterim = 8;

bool is_cut(const boost::system::error_code& error) {
  return error == asio::error::broken_pipe || error == asio::error::connection_reset;
}

bool is_end(const boost::system::error_code& error) {
  return error == asio::error::eof || error == asio::ssl::error::stream_truncated ||
         error == beast::http::error::end_of_stream || error == beast::http::error::partial_message;
}

Headers headers_of(const beast::http::fields& fields) {
  Headers all;
  for (const auto& field : fields)
    all.emplace_back(std::string(field.name_string()), std::string(field.value()));
  return all;
}

}  // namespace

Exchange::Exchange(Connection& connection, ExchangeTerms terms)
    : connection_(connection),
      terms_(terms),
      at_the_end_(terms_.closing, [&connection] { connection.close(); }),
      buffer_(terms_.limits.headers + kReadAtOnce) {
  buffer_.reserve(kReadAtOnce);
}

asio::awaitable<Status> Exchange::send(std::string_view head, std::string_view body) {
  const std::array<asio::const_buffer, 2> all{asio::buffer(head), asio::buffer(body)};
  beast::buffers_suffix<std::array<asio::const_buffer, 2>> rest(all);
  while (beast::buffer_bytes(rest) > 0) {
    if (terms_.patience.is_over()) co_return std::unexpected(fault(beast::error::timeout));
    terms_.patience.arm(connection_);
    const auto [error, sent] = co_await connection_.async_write_some(rest, kAwait);
    if (error && !is_cut(error)) co_return std::unexpected(fault(error));
    if (error) co_return Status();
    rest.consume(sent);
  }
  co_return Status();
}

asio::awaitable<Result<ClientResponse>> Exchange::ask(std::string_view head, std::string_view body,
                                                      bool no_body) {
  const auto sent = co_await send(head, body);
  if (!sent) co_return std::unexpected(sent.error());
  co_return co_await read_head(no_body);
}

// What can always be read leaves a timer no turn.
asio::awaitable<boost::system::error_code> Exchange::read_some() {
  if (terms_.patience.is_over()) co_return beast::error::timeout;
  terms_.patience.arm(connection_);
  const auto [error, size] = co_await beast::http::async_read_some(connection_, buffer_, *parser_, kAwait);
  is_answered_ = is_answered_ || size > 0 || buffer_.size() > 0;
  co_return error;
}

asio::awaitable<Result<ClientResponse>> Exchange::read_head(bool no_body) {
  for (int interim = 0; interim <= kMostInterim; ++interim) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(terms_.limits.headers));
    parser_->body_limit(boost::none);  // whoever reads the body knows it
    parser_->skip(no_body);
    while (!parser_->is_header_done())
      if (const auto error = co_await read_some()) co_return std::unexpected(fault(error));
    const auto& head = parser_->get();
    if (head.result_int() >= 200)
      co_return ClientResponse{.status = head.result_int(), .headers = headers_of(head), .body = {}};
    if (head.result_int() == 101) break;
  }
  parser_.reset();
  co_return std::unexpected(Error{"its answer never begins: it sends only interim ones", {}, EPROTO});
}

asio::awaitable<Result<std::string>> Exchange::read_body(std::function<bool(std::string_view)> take) {
  std::string body;
  bool is_enough = false;
  if (take) {
    terms_.patience.end = Patience::Clock::time_point::max();
    parser_->get().body() = [&](std::string_view piece) {
      is_enough = !take(piece);
      return !is_enough;
    };
  } else {
    const bool is_more = !parser_->is_done() && parser_->content_length().value_or(0) > terms_.limits.body;
    if (is_more) co_return std::unexpected(fault(beast::http::error::body_limit));
    parser_->body_limit(terms_.limits.body);
    parser_->get().body() = [&](std::string_view piece) {
      body += piece;
      return true;
    };
  }
  while (!parser_->is_done()) {
    const auto error = co_await read_some();
    if (is_enough) break;
    if (error) co_return std::unexpected(fault(error));
  }
  co_return body;
}

bool Exchange::is_exact() const {
  return parser_ && parser_->is_done() && buffer_.size() == 0;
}

bool Exchange::is_reusable() const {
  return is_exact() && parser_->keep_alive();
}

Error Exchange::fault(const boost::system::error_code& error) const {
  const auto& limits = terms_.limits;
  if (terms_.closing.begun()) return {"flowtapd does not wait for it any longer", {}, ECANCELED};
  if (error == beast::error::timeout)
    return terms_.patience.error(is_answered_ ? "its answer was not complete" : "no answer");
  if (auto of_tls = tls_fault(error, terms_.files, terms_.names); of_tls && !is_end(error)) return *of_tls;
  if (is_end(error) || is_cut(error))
    return {is_answered_ ? "it ended the connection in the middle of its answer"
                         : "it ended the connection without an answer",
            {},
            ECONNRESET};
  // Beast has no limit of its own for what stands behind a chunked body, and for the extensions of a chunk.
  if (error == beast::http::error::header_limit || error == beast::http::error::buffer_overflow)
    return {"its answer has more than " + grouped(limits.headers) + " bytes of headers", {}, EMSGSIZE};
  if (error == beast::http::error::body_limit)
    return {"its answer is larger than " + grouped(limits.body) + " bytes", {}, EMSGSIZE};
  if (error.category() == beast::http::make_error_code(beast::http::error::bad_version).category())
    return {"its answer is no HTTP: " + printable(error.message()), {}, EPROTO};
  return {"the connection to it failed: " + printable(error.message()), {}, error.value()};
}

}  // namespace flowtap::http
