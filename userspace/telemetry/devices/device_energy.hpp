// What one device has used, by its own counter or by its power over time.
#pragma once

#include <cstdint>
#include <optional>

#include "telemetry/devices/device.hpp"
#include "telemetry/energy/counter.hpp"

namespace flowtap::telemetry {

class DeviceEnergy {
 public:
  /// Microjoules since the call before. A device that once had a counter is measured only by it: what it used while the
  /// counter could not be read is in the next step. Power is taken as the mean of both ends of the time in between, if
  /// that is at most kMostBetween; about a longer time nothing is known.
  [[nodiscard]] std::uint64_t step(const DeviceValues& values, DeviceClock::time_point now);

  /// The device tells its energy or power.
  [[nodiscard]] bool known() const { return counted_ || last_watts_; }
  [[nodiscard]] std::uint64_t jumps() const { return jumps_; }

  static constexpr std::chrono::seconds kMostBetween{30};

 private:
  static constexpr std::uint64_t kMostWatts = 20'000;  // more than any device will draw

  EnergyCounter counter_{kMostWatts};
  bool counted_ = false;
  std::optional<double> last_watts_;
  DeviceClock::time_point last_{};
  double part_ = 0;  // of a microjoule
  std::uint64_t jumps_ = 0;
};

}  // namespace flowtap::telemetry
