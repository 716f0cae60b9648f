// Turns microjoules, which are counted here, into joules, which metrics show.
#pragma once

#include <cstdint>

namespace flowtap::telemetry {

/// What is added up in microjoules stays exact for 585 years of 1 kW. A double can hold each of them only up to 2^33 J,
/// which is 99 days of 1 kW; beyond that it holds the nearest value it can: off by 1 uJ at most up to 2^34 J, 2 uJ up
/// to 2^35 J, and so on.
[[nodiscard]] constexpr double joules(std::uint64_t uj) {
  return static_cast<double>(uj) / 1e6;
}

}  // namespace flowtap::telemetry
