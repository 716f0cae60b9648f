// One connection: reads requests one after another and writes their answers.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "http/connection/connection.hpp"
#include "http/limits/network_shares.hpp"
#include "http/messages/message.hpp"
#include "http/server/service.hpp"

namespace flowtap::http {

/// A client over TCP.
struct Caller {
  std::string network = {};
  std::optional<NetworkShares::Place> place = std::nullopt;  ///< held until it follows a stream
  std::optional<NetworkShares::Place> guest = std::nullopt;  ///< held until it has shown a token
};

/// Ends when the client goes, asks for the end, is too slow, or sends something that is not HTTP; nothing that the
/// client sends makes it throw. Once the service closes, no request is read any more, followed streams end where they
/// are, and other answers are completed.
boost::asio::awaitable<void> serve(Socket socket, const Service& service,
                                   std::shared_ptr<TlsContext> tls = nullptr, Caller caller = {});

/// Sends one answer without waiting for a request, and closes.
boost::asio::awaitable<void> turn_away(Socket socket, Answer answer, SessionLimits limits,
                                       AnswerCounts& counts, std::shared_ptr<TlsContext> tls = nullptr);

}  // namespace flowtap::http
