#include "telemetry/energy/device_joules.hpp"

#include <algorithm>

namespace flowtap::telemetry {

std::uint64_t DeviceShare::take(std::optional<std::uint64_t> room) {
  const std::uint64_t all = now();
  const std::uint64_t share = std::min(all - taken_, room.value_or(0));
  total_ += share;
  taken_ += share;
  late_ = taken_ == all ? 0 : late_ + 1;
  if (!room || late_ > kMostLate) {
    taken_ = all;
    late_ = 0;
  }
  return share;
}

}  // namespace flowtap::telemetry
