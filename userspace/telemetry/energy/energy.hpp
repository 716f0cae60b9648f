// The node's energy, and who used it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "telemetry/collecting/collector.hpp"
#include "telemetry/energy/attribution.hpp"
#include "telemetry/energy/device_joules.hpp"
#include "telemetry/energy/node_total.hpp"
#include "telemetry/energy/parts.hpp"
#include "telemetry/energy/sensors.hpp"

namespace flowtap::telemetry {

/// Those who used the node's active energy. Called from the collector's thread.
class EnergyConsumers {
 public:
  EnergyConsumers() = default;
  virtual ~EnergyConsumers() = default;
  EnergyConsumers(const EnergyConsumers&) = delete;
  EnergyConsumers& operator=(const EnergyConsumers&) = delete;

  /// Whether their latest use is known. Where it is not yet, energy waits to be divided.
  [[nodiscard]] virtual bool ready() const { return true; }

  /// All there are now, and those that ended since the last question. Nobody asks while nothing is read or divided: a
  /// consumer that ends meanwhile must be reported later.
  virtual std::vector<EnergyConsumer> consumers() = 0;

  /// What they used, once for each of those last reported. Their series must be appended here, so that they and the
  /// node's are of the same instant and add up. 0: nothing of it was measured yet, and it has no series.
  virtual void charged(std::span<const ConsumerEnergy> energy, Collected& out) = 0;
};

/// Where a node's energy is read, and who takes part.
struct EnergySources {
  std::string sysfs{};
  std::string proc{};
  std::shared_ptr<const SensorBoard> sensors{};  ///< null: there is only powercap
  std::shared_ptr<EnergyConsumers> consumers{};  ///< null: the active energy is not divided
  std::shared_ptr<const DeviceJoules> devices{};
};

/// Counters of powercap and hwmon, meters of power, and the node's total: devices, where it includes them, idle and
/// active. Without any of them there is only flowtap_energy_source_available at 0. A counter that has not moved since
/// the start may not count at all and is absent, and so is one that was not read this time.
class EnergyCollector final : public Collector {
 public:
  using Now = std::function<EnergyClock::time_point()>;

  /// For this many rounds energy waits to be divided: while the CPU time cannot be read, or it is not known what the
  /// consumers used. After that it is divided without. Waiting energy is in none of the node's totals yet.
  static constexpr unsigned kMostWaits = 10;

  explicit EnergyCollector(EnergySources sources, Now now = EnergyClock::now)
      : from_(std::move(sources)), now_(std::move(now)), devices_(from_.devices) {}

  [[nodiscard]] std::string_view name() const override { return "energy"; }
  void collect(Collected& out) override;

  /// In microjoules, for whoever wants to see that they add up.
  [[nodiscard]] const EnergyAttribution& attribution() const { return attribution_; }
  [[nodiscard]] std::uint64_t devices() const { return devices_.total(); }
  [[nodiscard]] std::uint64_t node() const { return attribution_.node() + devices_.total(); }

 private:
  [[nodiscard]] std::shared_ptr<const EnergyReadings> fresh_sensors(EnergyClock::time_point now);
  void divide(std::uint64_t uj, Collected& out);
  void append_parts(Collected& out) const;
  void append_node(Collected& out) const;

  EnergySources from_;
  Now now_;
  EnergyParts parts_;
  NodeTotal total_;
  DeviceShare devices_;
  EnergyAttribution attribution_;
  unsigned waits_ = 0;  // rounds in a row
  // The times of the last call and of the one before.
  EnergyClock::time_point before_ = EnergyClock::time_point::min();
  EnergyClock::time_point earlier_ = EnergyClock::time_point::min();
};

}  // namespace flowtap::telemetry
