// Sends a body while it is being read: what is there, and what comes later.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string_view>

#include "http/connection/closing.hpp"
#include "http/connection/connection.hpp"
#include "http/connection/loop_waker.hpp"
#include "http/messages/message.hpp"

namespace flowtap::http {

/// What the request says about the form of its answer.
struct AnswerForm {
  unsigned version = 11;  ///< of HTTP: version 10 has no chunks
  bool keep_alive = false;
  bool head = false;  ///< only the header
  bool gzip = false;  ///< JSON may be sent as gzip
  /// The tags of the JSON answers that the client has already; lives as long as the request.
  std::string_view if_none_match = {};
};

/// Prepares the body before the head is sent, in turns with other requests; an Error: there is no such body.
boost::asio::awaitable<Status> prepare_stream(Connection& connection, StreamBody& body);

/// Sends `body` in chunks, one piece in memory at a time. The trailer X-Flowtap-Missing-Bytes tells how much is missing
/// in it. A follower sends nothing more while it follows: the end of its side, or anything that it sends, ends the
/// answer, trailer included. A read that fails ends the connection without an end of the body; so does a client that
/// takes nothing for `patience`, unless it follows. When the service closes, a followed body ends with the bytes that
/// are there, and with the trailer X-Flowtap-Unfinished. True when the answer is complete.
boost::asio::awaitable<bool> send_stream(Connection& connection, StreamBody body, AnswerForm form,
                                         const LoopWaker& waker, Closing& closing,
                                         std::chrono::milliseconds patience);

}  // namespace flowtap::http
