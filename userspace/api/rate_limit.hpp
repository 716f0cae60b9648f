// How often one sender may ask over TCP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/lru.hpp"

namespace flowtap::api {

/// A token bucket for each network (network_of()), which fills itself with `per_second` and holds twice that. Of networks beyond
/// kMostNetworks those that asked least recently are forgotten, which begin anew. Used by one thread.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostNetworks = 4096;
  /// What a refused token costs, in requests: guessing is slow over many connections, too.
  static constexpr double kRefusalCost = 20;

  /// 0: without a limit.
  explicit RateLimit(std::uint64_t per_second) : per_second_(static_cast<double>(per_second)) {}

  /// One request: zero where it may be answered, or how long to wait before the next.
  [[nodiscard]] std::chrono::milliseconds take(const std::string& network, Clock::time_point now);
  /// What its token was refused for.
  void refused(const std::string& network, Clock::time_point now);

  [[nodiscard]] std::size_t networks() const { return buckets_.size(); }

 private:
  struct Bucket {
    double level;
    Clock::time_point when;
  };

  [[nodiscard]] double most() const { return 2 * per_second_; }
  /// As full as it is now.
  [[nodiscard]] Bucket& bucket(const std::string& network, Clock::time_point now);

  double per_second_;
  Lru<Bucket> buckets_{kMostNetworks};
};

}  // namespace flowtap::api
