// Sends an answer that is complete in memory.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/connection/connection.hpp"
#include "http/limits/answer_counts.hpp"
#include "http/messages/message.hpp"
#include "http/server/streaming.hpp"

namespace flowtap::http {

/// Writes the answer in the form that the client takes; for HEAD only its header, with the length that the body would
/// have. False: the client is gone.
boost::asio::awaitable<bool> send(Connection& connection, Answer answer, AnswerForm form,
                                  AnswerCounts& counts);

/// Closes in such a way that a client that is still sending can read the answer: for a moment, its bytes are read and
/// dropped.
boost::asio::awaitable<void> linger(Connection& connection);

}  // namespace flowtap::http
