#include "api/rate_limit.hpp"

#include <algorithm>

namespace flowtap::api {

RateLimit::Bucket& RateLimit::bucket(const std::string& network, Clock::time_point now) {
  Bucket* found = buckets_.get(network);
  if (found == nullptr) {
    buckets_.put(network, {most(), now});
    found = buckets_.get(network);
  }
  const double seconds = std::chrono::duration<double>(now - found->when).count();
  *found = {std::min(most(), found->level + seconds * per_second_), now};
  return *found;
}

std::chrono::milliseconds RateLimit::take(const std::string& network, Clock::time_point now) {
  using std::chrono::milliseconds;
  if (per_second_ == 0) return milliseconds(0);
  Bucket& of = bucket(network, now);
  if (of.level < 1)
    return std::max(milliseconds(1),
                    milliseconds(static_cast<std::int64_t>((1 - of.level) / per_second_ * 1000)));
  of.level -= 1;
  return milliseconds(0);
}

void RateLimit::refused(const std::string& network, Clock::time_point now) {
  if (per_second_ == 0) return;
  Bucket& of = bucket(network, now);
  // Not deeper than a bucket holds: whoever stops guessing is answered again in seconds, also where the rate is low.
  of.level = std::max(-most(), of.level - kRefusalCost);
}

}  // namespace flowtap::api
