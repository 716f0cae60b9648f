// An answer that is there as a whole, on its way to the client.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/limits/answer_counts.hpp"
#include "http/messages/message.hpp"
#include "http/server/connection.hpp"
#include "http/server/streaming.hpp"

namespace flowtap::http {

/// Writes the answer in the form that the client takes; for HEAD its header alone, with the length that the body would have. False: the
/// client is gone.
boost::asio::awaitable<bool> send(Connection& connection, Answer answer, AnswerForm form,
                                  AnswerCounts& counts);

/// Closes so that the client still reads the answer while it sends: what it sends is taken and thrown away, for a moment.
boost::asio::awaitable<void> linger(Connection& connection);

}  // namespace flowtap::http
