// The node's energy, and whose it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "telemetry/collector.hpp"
#include "telemetry/energy/attribution.hpp"
#include "telemetry/energy/node_total.hpp"
#include "telemetry/energy/parts.hpp"

namespace flowtap::telemetry {

/// Those who used the node's active energy. Called from the collector's thread.
class EnergyConsumers {
 public:
  EnergyConsumers() = default;
  virtual ~EnergyConsumers() = default;
  EnergyConsumers(const EnergyConsumers&) = delete;
  EnergyConsumers& operator=(const EnergyConsumers&) = delete;

  /// All there are now, and those that ended since they were last asked for. Not asked for while nothing is read: who ends
  /// meanwhile is to be told of later.
  virtual std::vector<EnergyConsumer> consumers() = 0;

  /// What they used, each of them once, after consumers() and in the same collect(): their series are to be appended here,
  /// so that they and the node's are of one instant and add up. 0: nothing was measured of it yet, and it has no series.
  virtual void charged(std::span<const ConsumerEnergy> energy, Collected& out) = 0;
};

/// Counters of powercap and hwmon, meters of power, the node's total, idle and active. Without any of them there is only
/// flowtap_energy_source_available at 0. A counter that has not moved since the start may not count at all and is absent,
/// as is one that was not read this time.
class EnergyCollector final : public Collector {
 public:
  using Now = std::function<EnergyClock::time_point()>;

  /// `sysfs`, `proc`: the node's. `consumers` may be absent; then the active energy is not divided.
  EnergyCollector(std::string sysfs, std::string proc, std::shared_ptr<EnergyConsumers> consumers = nullptr,
                  Now now = EnergyClock::now)
      : sysfs_(std::move(sysfs)),
        proc_(std::move(proc)),
        consumers_(std::move(consumers)),
        now_(std::move(now)) {}

  [[nodiscard]] std::string_view name() const override { return "energy"; }
  void collect(Collected& out) override;

  /// In microjoules, for who wants to see that they add up.
  [[nodiscard]] const EnergyAttribution& attribution() const { return attribution_; }

 private:
  void share(std::uint64_t node, Collected& out);
  void append_node(Collected& out) const;

  std::string sysfs_;
  std::string proc_;
  std::shared_ptr<EnergyConsumers> consumers_;
  Now now_;
  EnergyParts parts_;
  NodeTotal total_;
  EnergyAttribution attribution_;
};

}  // namespace flowtap::telemetry
