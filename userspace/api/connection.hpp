// One client's socket as sessions use it.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <chrono>
#include <cstddef>

namespace flowtap::api {

using Socket = boost::asio::local::stream_protocol::socket;

/// With a deadline on each of its reads and writes.
using Connection = boost::beast::basic_stream<boost::asio::local::stream_protocol>;

/// Errors come back as values: nothing throws because of a peer.
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable);

inline constexpr std::chrono::milliseconds kEndless{0};

/// Sends all of `buffers`. False when the client is gone, or takes nothing at all for `patience`, which may be kEndless; one
/// that is only slow may be as slow as it likes.
template <typename Buffers>
boost::asio::awaitable<bool> send_patiently(Connection& connection, Buffers buffers,
                                            std::chrono::milliseconds patience) {
  boost::beast::buffers_suffix<Buffers> rest(buffers);
  while (boost::beast::buffer_bytes(rest) > 0) {
    if (patience == kEndless)
      connection.expires_never();
    else
      connection.expires_after(patience);
    const auto [error, sent] = co_await connection.async_write_some(rest, kAwait);
    if (error) co_return false;
    rest.consume(sent);
  }
  co_return true;
}

}  // namespace flowtap::api
