#include "daemon/cycle_times.hpp"

namespace flowtap {

void CycleTimes::add(std::chrono::nanoseconds took) {
  ++cycles_;
  last_seconds_ = std::chrono::duration<double>(took).count();
  ++durations_.counts.at(stats::histogram_bucket(static_cast<std::uint64_t>(took.count())));
  durations_.sum += *last_seconds_;
}

void CycleTimes::append(std::vector<stats::Series>& out) const {
  out.push_back({&stats::stat(stats::StatId::kCYCLE_DURATION), {}, durations_});
}

void CycleTimes::report(api::CountStatus& status) const {
  status.cycles = cycles_;
  status.last_cycle_seconds = last_seconds_;
}

}  // namespace flowtap
