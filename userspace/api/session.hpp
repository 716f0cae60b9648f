// One connection: reads requests one after another and writes their answers.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "api/admission.hpp"
#include "api/bell.hpp"
#include "api/closing.hpp"
#include "api/connection.hpp"
#include "api/guests.hpp"
#include "api/rate_limit.hpp"
#include "api/routes.hpp"
#include "api/seats.hpp"
#include "api/views.hpp"

namespace flowtap::api {

struct SessionLimits {
  std::size_t header_bytes = std::size_t{8} * 1024;
  std::size_t body_bytes = std::size_t{16} * 1024;
  /// For a whole request to arrive, idle time before it included, and again for its answer to be taken; of a
  /// stream, for any of its bytes to be taken.
  std::chrono::milliseconds time{30'000};
  /// The same for who has to show a token and has not yet: for the handshake and the header of the first request together,
  /// and again for the refusal to be taken.
  std::chrono::milliseconds greeting{5'000};
  /// How long a refused token is thought about.
  std::chrono::milliseconds refusal{500};
};

/// What the connections of one server have in common; outlives them.
struct Service {
  const NodeView& node;
  SessionLimits limits;
  Seats& followers;
  const Bell& bell;
  Closing& closing;
  /// Each request has to bring a token that these let in; null: who is there may ask.
  const Admission* admission = nullptr;
  /// Whoever has a token is bound by this, too; null: as often as they like.
  RateLimit* rate = nullptr;
  /// The same for connections that have shown none yet, and what refused tokens cost: who guesses slows down nobody whose
  /// connection is known.
  RateLimit* guest_rate = nullptr;
};

/// Ends when the client goes, asks for it, is too slow, or sends what is not HTTP; never throws for what it
/// sends. `guest` lasts until a token was seen. Once
/// the service closes, no request is read any more, what is followed ends where it stands, and other answers are completed.
boost::asio::awaitable<void> serve(Socket socket, const Service& service,
                                   std::shared_ptr<TlsContext> tls = nullptr,
                                   std::optional<Guests::Guest> guest = std::nullopt);

/// Sends one answer without waiting for a request, and closes.
boost::asio::awaitable<void> turn_away(Socket socket, Answer answer, SessionLimits limits,
                                       std::shared_ptr<TlsContext> tls = nullptr);

}  // namespace flowtap::api
