#include "telemetry/energy/sensors.hpp"

#include <utility>

#include "telemetry/energy/hwmon.hpp"

namespace flowtap::telemetry {

void SensorBoard::post(EnergyReadings readings) {
  auto fresh = std::make_shared<const EnergyReadings>(std::move(readings));
  const std::scoped_lock lock(mutex_);
  last_.swap(fresh);
}

std::shared_ptr<const EnergyReadings> SensorBoard::read() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

void SensorCollector::collect(Collected& out) {
  const auto at = now_();
  EnergyReadings readings = read_hwmon(sysfs_, out.unread);
  readings.at = at;
  for (const PowerReading& power : readings.powers)
    out.add(stats::StatId::kSENSOR_POWER, static_cast<double>(power.uw) / 1e6,
            {power.chip, power.device, power.sensor});
  board_->post(std::move(readings));
}

}  // namespace flowtap::telemetry
