// The machine's sensors of energy and power. They are read apart from its counters, since a chip may take seconds to
// answer, or for ever.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "telemetry/collecting/collector.hpp"
#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// The last readings, passed from the collector that waits for them to the one that adds up the node's energy.
/// Thread-safe.
class SensorBoard {
 public:
  void post(EnergyReadings readings);
  /// Null before the first reading.
  [[nodiscard]] std::shared_ptr<const EnergyReadings> read() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const EnergyReadings> last_;
};

/// All of hwmon. Meters are shown as they are; whoever reads the board adds up counters and the platform's meter.
class SensorCollector final : public Collector {
 public:
  using Now = std::function<EnergyClock::time_point()>;

  SensorCollector(std::string sysfs, std::shared_ptr<SensorBoard> board, Now now = EnergyClock::now)
      : sysfs_(std::move(sysfs)), board_(std::move(board)), now_(std::move(now)) {}

  [[nodiscard]] std::string_view name() const override { return "sensors"; }
  void collect(Collected& out) override;

 private:
  std::string sysfs_;
  std::shared_ptr<SensorBoard> board_;
  Now now_;
};

}  // namespace flowtap::telemetry
