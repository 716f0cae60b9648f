#include "http/client/client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "base/json/members.hpp"
#include "base/printable.hpp"

namespace flowtap::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// flowtapd sends some hundred kilobytes; whatever announces more than this is not flowtapd.
constexpr std::uint64_t kMaxBody = 64U << 20U;

/// One request from connect to the end of its answer. The deadline is Beast's, which knows only asynchronous
/// calls; run() makes them one blocking step.
class Exchange {
 public:
  explicit Exchange(std::chrono::milliseconds timeout) : stream_(io_) {
    stream_.expires_after(timeout);
    parser_.body_limit(kMaxBody);
  }

  Result<Reply> run(const std::string& path, const std::string& target) {
    request_ = {http::verb::get, target, 11};
    request_.set(http::field::host, "localhost");
    request_.keep_alive(false);
    stream_.async_connect(asio::local::stream_protocol::endpoint(path), [this](beast::error_code error) {
      if (end_if(error, "cannot connect")) return;
      write();
    });
    io_.run();
    if (!what_.empty()) return std::unexpected(Error{what_ + " to " + path + ": " + text_, {}, code_});
    return Reply{parser_.get().result_int(), std::move(parser_.get().body())};
  }

 private:
  void write() {
    http::async_write(stream_, request_, [this](beast::error_code error, std::size_t) {
      // A server that turns us away answers before it has read everything; its answer can still be read.
      if (error == asio::error::broken_pipe || error == asio::error::connection_reset) error = {};
      if (!end_if(error, "cannot send")) read();
    });
  }

  void read() {
    http::async_read(stream_, buffer_, parser_,
                     [this](beast::error_code error, std::size_t) { end_if(error, "no answer"); });
  }

  bool end_if(const beast::error_code& error, const char* what) {
    if (!error) return false;
    what_ = what;
    text_ = printable(error == beast::error::timeout ? "it took too long" : error.message());
    code_ = error.category() == asio::error::get_system_category() ? error.value() : 0;
    return true;
  }

  asio::io_context io_{1};
  beast::basic_stream<asio::local::stream_protocol> stream_;
  beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  http::response_parser<http::string_body> parser_;
  std::string what_;
  std::string text_;
  int code_ = 0;
};

}  // namespace

Result<Reply> fetch(const std::string& socket_path, const std::string& target,
                    std::chrono::milliseconds timeout) {
  try {
    return Exchange(timeout).run(socket_path, target);
  } catch (const std::exception& error) {  // a path that is too long for a socket address, or no memory
    return fail("cannot connect to " + socket_path + ": " + printable(error.what()));
  }
}

Error refusal(const Reply& reply) {
  auto body = parse_object(reply.body, "the answer");
  Error error;
  if (body) error = {text_member(*body, "error"), text_member(*body, "hint"), 0};
  if (error.what.empty()) error.what = "flowtapd answered with status " + std::to_string(reply.status);
  return error;
}

}  // namespace flowtap::http
