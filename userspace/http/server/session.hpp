// One connection: reads requests one after another and writes their answers.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "http/limits/network_shares.hpp"
#include "http/messages/message.hpp"
#include "http/server/connection.hpp"
#include "http/server/service.hpp"

namespace flowtap::http {

/// Who asks over TCP.
struct Caller {
  std::string network = {};
  std::optional<NetworkShares::Place> place = std::nullopt;  ///< until it follows a stream
  std::optional<NetworkShares::Place> guest = std::nullopt;  ///< until it has shown a token
};

/// Ends when the client goes, asks for it, is too slow, or sends what is not HTTP; never throws for what it sends. Once
/// the service closes, no request is read any more, what is followed ends where it stands, and other answers are completed.
boost::asio::awaitable<void> serve(Socket socket, const Service& service,
                                   std::shared_ptr<TlsContext> tls = nullptr, Caller caller = {});

/// Sends one answer without waiting for a request, and closes.
boost::asio::awaitable<void> turn_away(Socket socket, Answer answer, SessionLimits limits,
                                       AnswerCounts& counts, std::shared_ptr<TlsContext> tls = nullptr);

}  // namespace flowtap::http
