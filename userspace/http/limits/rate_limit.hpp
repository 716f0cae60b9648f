// How often one sender may ask over TCP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/lru.hpp"

namespace flowtap::http {

/// A token bucket for each network (network_of()), which fills itself with `per_second` and holds twice that. Of networks beyond
/// kMostNetworks those that asked least recently are forgotten, which begin anew. Used by one thread.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostNetworks = 4096;
  /// What a refused token costs, in requests: guessing is slow over many connections, too.
  static constexpr int kRefusalCost = 20;

  /// 0: without a limit.
  explicit RateLimit(std::uint64_t per_second)
      : request_(per_second == 0 ? std::chrono::nanoseconds(0)
                                 : std::chrono::nanoseconds(std::chrono::seconds(1)) /
                                       static_cast<std::int64_t>(per_second)) {}

  /// One request: zero where it may be answered, or how long to wait before the next.
  [[nodiscard]] std::chrono::milliseconds take(const std::string& network, Clock::time_point now);
  /// What its token was refused for.
  void refused(const std::string& network, Clock::time_point now);

  [[nodiscard]] std::size_t networks() const { return buckets_.size(); }

 private:
  /// What a bucket holds, as the time in which it fills.
  static constexpr std::chrono::nanoseconds kMost = std::chrono::seconds(2);

  /// Since when it has filled itself, for what is in it; later than now, it owes as much. Whole numbers: what was told to wait is
  /// answered then.
  [[nodiscard]] Clock::time_point& filled_since(const std::string& network, Clock::time_point now);

  std::chrono::nanoseconds request_;  // in which there is enough for one; 0: without a limit
  Lru<Clock::time_point> buckets_{kMostNetworks};
};

}  // namespace flowtap::http
