// One connection: reads requests one after another and writes their answers.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstddef>

#include "api/routes.hpp"
#include "api/views.hpp"

namespace flowtap::api {

struct SessionLimits {
  std::size_t header_bytes = std::size_t{8} * 1024;
  std::size_t body_bytes = std::size_t{16} * 1024;
  /// For a whole request to arrive, idle time before it included, and again for its answer to be taken.
  std::chrono::milliseconds time{30'000};
};

using Socket = boost::asio::local::stream_protocol::socket;

/// Ends when the client goes, asks for it, is too slow, or sends what is not HTTP; never throws for what it
/// sends.
boost::asio::awaitable<void> serve(Socket socket, const NodeView& node, SessionLimits limits);

/// Sends one answer without waiting for a request, and closes.
boost::asio::awaitable<void> turn_away(Socket socket, Answer answer, SessionLimits limits);

}  // namespace flowtap::api
