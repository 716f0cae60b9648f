// What the connections of one server have in common.
#pragma once

#include <chrono>
#include <cstddef>

#include "http/limits/answer_counts.hpp"
#include "http/limits/network_shares.hpp"
#include "http/limits/rate_limit.hpp"
#include "http/limits/seats.hpp"
#include "http/messages/handler.hpp"
#include "http/server/bell.hpp"
#include "http/server/closing.hpp"

namespace flowtap::http {

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

/// Outlives the connections.
struct Service {
  const Handler& handler;
  SessionLimits limits;
  Seats& followers;
  const Bell& bell;
  Closing& closing;
  AnswerCounts& counts;
  /// Lets in each request by its token; null: who is there may ask.
  Gate* gate = nullptr;
  /// Whoever has a token is bound by this, too; null: as often as they like.
  RateLimit* rate = nullptr;
  /// The same for connections that have shown none yet, and what refused tokens cost: who guesses slows down nobody whose
  /// connection is known.
  RateLimit* guest_rate = nullptr;
  /// Handshakes that come faster wait: each costs the thread that makes all answers a millisecond. Null: there are none.
  RateLimit* handshakes = nullptr;
  /// How many of the followers one network may be; null: all.
  NetworkShares* follower_shares = nullptr;
};

}  // namespace flowtap::http
