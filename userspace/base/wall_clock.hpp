// The time of day as a number.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace flowtap {

/// ns since the epoch; 0 for times before it.
[[nodiscard]] inline std::uint64_t ns_of(std::chrono::system_clock::time_point time) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count(), 0));
}

/// Now.
[[nodiscard]] inline std::uint64_t wall_ns() {
  return ns_of(std::chrono::system_clock::now());
}

}  // namespace flowtap
