// A body that is read while it is sent: history, and what comes.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string_view>

#include "http/messages/message.hpp"
#include "http/server/bell.hpp"
#include "http/server/closing.hpp"
#include "http/server/connection.hpp"

namespace flowtap::http {

/// What the request says about the form of its answer.
struct AnswerForm {
  unsigned version = 11;  ///< of HTTP: 10 knows no chunks
  bool keep_alive = false;
  bool head = false;  ///< the header alone
  bool gzip = false;  ///< what is JSON may come as that
  /// Of answers in JSON the client has these; lives as long as the request.
  std::string_view if_none_match = {};
};

/// Does what is to be done before the head, in turns with what others ask for; an Error: there is no such body.
boost::asio::awaitable<Status> prepare_stream(Connection& connection, StreamBody& body);

/// Sends `body` in chunks, one piece in memory at a time. What is missing in it
/// says the trailer X-Flowtap-Missing-Bytes. A follower says nothing more
/// while it follows: the end of its side, or anything that it sends, ends the answer, trailer included. A read
/// that fails ends the connection without an end of the body; so does a client that takes nothing for
/// `patience`, unless it follows. When the service closes, what is followed ends with what there is, and the trailer
/// X-Flowtap-Unfinished. True when the answer is complete.
boost::asio::awaitable<bool> send_stream(Connection& connection, StreamBody body, AnswerForm form,
                                         const Bell& bell, Closing& closing,
                                         std::chrono::milliseconds patience);

}  // namespace flowtap::http
