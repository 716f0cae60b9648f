// What the connections of one server have in common.
#pragma once

#include <chrono>
#include <cstddef>

#include "http/connection/closing.hpp"
#include "http/connection/loop_waker.hpp"
#include "http/limits/answer_counts.hpp"
#include "http/limits/network_shares.hpp"
#include "http/limits/rate_limit.hpp"
#include "http/limits/seats.hpp"
#include "http/messages/handler.hpp"

namespace flowtap::http {

struct SessionLimits {
  std::size_t header_bytes = std::size_t{8} * 1024;
  std::size_t body_bytes = std::size_t{16} * 1024;
  /// The time for a whole request to arrive, including idle time before it, and again for its answer to be taken; for a
  /// stream, the time until some of its bytes are taken.
  std::chrono::milliseconds time{30'000};
  /// The same for a client that has to show a token and has not done so: for the handshake and the header of the first
  /// request together, and again for the refusal to be taken.
  std::chrono::milliseconds greeting{5'000};
  /// How long the refusal of a token is held back.
  std::chrono::milliseconds refusal{500};
};

/// Must outlive the connections.
struct Service {
  const Handler& handler;
  SessionLimits limits;
  Seats& followers;
  const LoopWaker& waker;
  Closing& closing;
  AnswerCounts& counts;
  /// Lets in each request by its token; null: every connection may ask.
  Gate* gate = nullptr;
  /// This limits clients with a token, too; null: they may ask as often as they like.
  RateLimit* rate = nullptr;
  /// The same for connections that have shown no token yet, and for the cost of refused tokens: clients that guess must
  /// not slow down a connection that has shown one.
  RateLimit* guest_rate = nullptr;
  /// Handshakes that come faster than this have to wait, since each costs the thread that makes all answers a
  /// millisecond. Null: there are no handshakes.
  RateLimit* handshakes = nullptr;
  /// How many of the followers may come from one network; null: all.
  NetworkShares* follower_shares = nullptr;
};

}  // namespace flowtap::http
