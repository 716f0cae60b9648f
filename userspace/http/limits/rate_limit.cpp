#include "http/limits/rate_limit.hpp"

#include <algorithm>

namespace flowtap::http {

RateLimit::Clock::time_point& RateLimit::filled_since(const std::string& network, Clock::time_point now) {
  if (buckets_.get(network) == nullptr) buckets_.put(network, now - kMost);
  Clock::time_point& since = *buckets_.get(network);
  since = std::max(since, now - kMost);
  return since;
}

std::chrono::milliseconds RateLimit::take(const std::string& network, Clock::time_point now) {
  using std::chrono::milliseconds;
  if (request_ == request_.zero()) return milliseconds(0);
  Clock::time_point& since = filled_since(network, now);
  if (since + request_ > now) return std::chrono::ceil<milliseconds>(since + request_ - now);
  since += request_;
  return milliseconds(0);
}

void RateLimit::refused(const std::string& network, Clock::time_point now) {
  if (request_ == request_.zero()) return;
  Clock::time_point& since = filled_since(network, now);
  // Never more than a bucket holds: a client that stops guessing is answered again within seconds, even if the rate is
  // low.
  since = std::min(since + kRefusalCost * request_, now + kMost);
}

}  // namespace flowtap::http
