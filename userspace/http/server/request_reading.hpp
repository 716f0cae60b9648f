// The next request of a connection: read, and answered here where it may not be asked.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <string>

#include "http/server/connection.hpp"
#include "http/server/service.hpp"
#include "http/server/session.hpp"
#include "http/server/streaming.hpp"

namespace flowtap::http {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

enum class Next : std::uint8_t {
  kAnswer,
  kRead,  ///< it has its answer, and the next one may come
  kEnd,
};

/// Reads the header of the next request, and then, if that has the token that it needs, the body. What is not to be answered as a
/// request has been told so, if there is something to be told.
boost::asio::awaitable<Next> read_request(Connection& connection, boost::beast::flat_buffer& buffer,
                                          RequestParser& parser, const Service& service, Caller& caller);

/// The values of a header that is a list, which may stand in several lines.
[[nodiscard]] std::string list_in(const RequestParser& parser, boost::beast::http::field name);

/// As the first line has it.
[[nodiscard]] AnswerForm form_of(const RequestParser& parser);

}  // namespace flowtap::http
