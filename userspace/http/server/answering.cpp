#include "http/server/answering.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http.hpp>
#include <string>
#include <utility>

#include "http/gzip.hpp"
#include "http/negotiation.hpp"

namespace flowtap::http {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

/// The form in which an answer is sent.
struct Representation {
  std::string tag = {};  ///< empty: no client is to keep it
  bool gzip = false;
};

/// Brings the answer into the form that the client takes: packed, or empty if the client has it already.
Representation negotiate(Answer& answer, const AnswerForm& form) {
  if (answer.status != 200) return {};
  const std::string tag = entity_tag(answer.body);
  Representation sent{tag};
  if (form.gzip && answer.body.size() > kLeastToGzip && answer.body.size() <= kMostToGzip)
    sent = {gzip_tag(tag), true};
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
  if (has_body) response.set(http::field::content_type, beast_view(kJson));
  response.set(http::field::cache_control, sent.tag.empty() ? "no-store" : "no-cache");
  if (!sent.tag.empty()) {
    response.set(http::field::etag, sent.tag);
    response.set(http::field::vary, "Accept-Encoding");
  }
  if (sent.gzip && has_body) response.set(http::field::content_encoding, "gzip");
  if (answer.status == 401) response.set(http::field::www_authenticate, "Bearer realm=\"flowtap\"");
  if (!answer.allow.empty()) response.set(http::field::allow, beast_view(answer.allow));
  if (answer.retry_after > std::chrono::seconds(0))
    response.set(http::field::retry_after, std::to_string(answer.retry_after.count()));
  response.keep_alive(keep_alive);
  if (has_body) response.content_length(answer.body.size());
}

}  // namespace

asio::awaitable<bool> send(Connection& connection, Answer answer, AnswerForm form, AnswerCounts& counts) {
  const Representation sent = negotiate(answer, form);
  counts.add(answer.status);
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

asio::awaitable<void> linger(Connection& connection) {
  static constexpr std::size_t kAtMost = 1U << 20U;
  connection.expires_after(std::chrono::seconds(1));
  co_await connection.shut();
  if (connection.is_tls()) co_return;  // ending TLS has already waited for the client
  std::array<char, 4096> waste{};
  for (std::size_t taken = 0; taken < kAtMost;) {
    const auto [error, n] = co_await connection.async_read_some(asio::buffer(waste), kAwait);
    if (error) break;
    taken += n;
  }
}

}  // namespace flowtap::http
