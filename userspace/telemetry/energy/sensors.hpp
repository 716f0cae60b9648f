// The machine's sensors of energy and power, read apart from its counters: a chip may take seconds to answer, or for ever.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "telemetry/collecting/collector.hpp"
#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// The last readings, from who waits for them to who adds up the node's energy. Thread-safe.
class SensorBoard {
 public:
  void post(EnergyReadings readings);
  /// Null before the first.
  [[nodiscard]] std::shared_ptr<const EnergyReadings> read() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const EnergyReadings> last_;
};

/// All of hwmon. Meters are shown as they are; counters and the platform's meter are added up by who reads the board.
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
