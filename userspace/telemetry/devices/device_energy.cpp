#include "telemetry/devices/device_energy.hpp"

#include <cmath>

namespace flowtap::telemetry {

std::uint64_t DeviceEnergy::step(const DeviceValues& values, DeviceClock::time_point now) {
  if (values.energy_uj) {
    counted_ = true;
    constexpr std::uint64_t kNeverWraps = 0;
    const EnergyStep step = counter_.read(*values.energy_uj, kNeverWraps, now);
    if (step.jumped) ++jumps_;
    return step.uj;
  }
  if (counted_ || !values.watts) return 0;
  const auto between = now - last_;
  double uj = part_;
  if (last_watts_ && between <= kMostBetween)
    uj += (*last_watts_ + *values.watts) / 2 * std::chrono::duration<double, std::micro>(between).count();
  last_watts_ = values.watts;
  last_ = now;
  const double whole = std::floor(uj);
  part_ = uj - whole;
  return static_cast<std::uint64_t>(whole);
}

}  // namespace flowtap::telemetry
