// Reads the next request of a connection, and answers it here if it may not be made.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <string>

#include "http/connection/connection.hpp"
#include "http/server/service.hpp"
#include "http/server/session.hpp"
#include "http/server/streaming.hpp"

namespace flowtap::http {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

enum class Next : std::uint8_t {
  kAnswer,
  kRead,  ///< it has its answer, and the next request may come
  kEnd,
};

/// Reads the header of the next request, and then its body if the header has the token that it needs. A request that
/// goes no further has been answered already, if there was anything to say.
boost::asio::awaitable<Next> read_request(Connection& connection, boost::beast::flat_buffer& buffer,
                                          RequestParser& parser, const Service& service, Caller& caller);

/// The values of a header that is a list and may stand in several lines.
[[nodiscard]] std::string list_in(const RequestParser& parser, boost::beast::http::field name);

/// The value in the first line.
[[nodiscard]] AnswerForm form_of(const RequestParser& parser);

}  // namespace flowtap::http
