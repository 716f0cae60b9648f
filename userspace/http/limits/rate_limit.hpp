// Limits how often one sender may ask over TCP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/lru.hpp"

namespace flowtap::http {

/// A token bucket for each network (network_of()), which fills itself with `per_second` and holds twice that. Beyond
/// kMostNetworks, the network that asked least recently is forgotten and begins anew. Used by one thread.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostNetworks = 4096;
  /// What a refused token costs, in requests, so that guessing is slow over many connections, too.
  static constexpr int kRefusalCost = 20;

  /// 0: there is no limit.
  explicit RateLimit(std::uint64_t per_second)
      : request_(per_second == 0 ? std::chrono::nanoseconds(0)
                                 : std::chrono::nanoseconds(std::chrono::seconds(1)) /
                                       static_cast<std::int64_t>(per_second)) {}

  /// Counts one request; returns zero if it may be answered, or how long to wait before the next one.
  [[nodiscard]] std::chrono::milliseconds take(const std::string& network, Clock::time_point now);
  /// Charges for a refused token.
  void refused(const std::string& network, Clock::time_point now);

  [[nodiscard]] std::size_t networks() const { return buckets_.size(); }

 private:
  /// The size of a bucket, as the time in which it fills.
  static constexpr std::chrono::nanoseconds kMost = std::chrono::seconds(2);

  /// The time since which it has been filling, given what is in it; if this is in the future, the network owes that
  /// much. Whole numbers, so that a client that waits as long as it was told is answered then.
  [[nodiscard]] Clock::time_point& filled_since(const std::string& network, Clock::time_point now);

  std::chrono::nanoseconds request_;  // the time in which one request's worth fills; 0: no limit
  Lru<Clock::time_point> buckets_{kMostNetworks};
};

}  // namespace flowtap::http
