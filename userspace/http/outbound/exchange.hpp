// One request and its answer on a connection.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "http/connection/closing.hpp"
#include "http/connection/connection.hpp"
#include "http/connection/handed_on.hpp"
#include "http/outbound/client_message.hpp"
#include "http/outbound/client_options.hpp"
#include "http/outbound/patience.hpp"

namespace flowtap::http {

/// What its steps may cost, and what ends them.
struct ExchangeTerms {
  const ClientLimits& limits;
  const TlsFiles& files;
  const SettingNames& names;
  Closing& closing;
  Patience patience;
};

/// Its functions are called once, in this order. Each Error is a sentence about the server.
class Exchange {
 public:
  Exchange(Connection& connection, ExchangeTerms terms);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sends a request, and reads the status and the headers of its answer. A server that refuses a request may answer before it has read
  /// all of it. `no_body`: whatever the headers say, as after HEAD and CONNECT.
  [[nodiscard]] boost::asio::awaitable<Result<ClientResponse>> ask(std::string_view head,
                                                                   std::string_view body, bool no_body);

  /// Only the reading.
  [[nodiscard]] boost::asio::awaitable<Result<ClientResponse>> read_head(bool no_body);

  /// Reads to the end, through `take` if there is one, and into the string that is returned otherwise.
  [[nodiscard]] boost::asio::awaitable<Result<std::string>> read_body(
      std::function<bool(std::string_view)> take);

  /// Whether a byte of the answer has come.
  [[nodiscard]] bool is_answered() const { return is_answered_; }
  /// Whether the answer is whole and nothing came behind it.
  [[nodiscard]] bool is_exact() const;
  /// Whether this connection can also take the next request.
  [[nodiscard]] bool is_reusable() const;

 private:
  using Parser = boost::beast::http::response_parser<HandedOn>;

  [[nodiscard]] boost::asio::awaitable<Status> send(std::string_view head, std::string_view body);
  [[nodiscard]] boost::asio::awaitable<boost::system::error_code> read_some();
  [[nodiscard]] Error fault(const boost::system::error_code& error) const;

  Connection& connection_;
  ExchangeTerms terms_;
  Closing::Listener at_the_end_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool is_answered_ = false;
};

}  // namespace flowtap::http
