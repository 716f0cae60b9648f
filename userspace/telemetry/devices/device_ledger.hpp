// What is kept of one device from round to round: its energy and whose that was, its losses, its counters over their resets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "stats/table.hpp"
#include "telemetry/devices/device.hpp"
#include "telemetry/devices/device_energy.hpp"
#include "telemetry/energy/attribution.hpp"
#include "telemetry/node/steady_counter.hpp"
#include "telemetry/workloads/workload_name.hpp"

namespace flowtap::telemetry {

/// A workload on a device, or on one instance of it.
struct DeviceUser {
  WorkloadName name;
  std::string instance;

  auto operator<=>(const DeviceUser&) const = default;
};

/// What its processes use together.
struct DeviceUse {
  std::uint64_t processes = 0;
  std::optional<std::uint64_t> memory{};
  std::optional<double> utilization{};
  std::optional<double> memory_utilization{};
  std::optional<double> encoder{};
  std::optional<double> decoder{};

  /// What one of them does not tell is not in the sum. Ratios end at 1.
  void add(const DeviceProcess& process);
};

using DeviceUses = std::map<DeviceUser, DeviceUse>;

class DeviceLedger {
 public:
  /// Users that are not seen for `keep` have ended.
  explicit DeviceLedger(std::chrono::milliseconds keep) : keep_(keep) {}

  /// In each round the device's energy is divided: idle is the part of the time in which nothing ran on it, each user has of the
  /// rest what its utilization is of the device's, and what is left is nobody's. Where the device does not tell how much it
  /// worked, its users' work is taken for all.
  void round(const DeviceValues& values, const DeviceUses& uses, DeviceClock::time_point now);

  [[nodiscard]] const DeviceEnergy& energy() const { return energy_; }
  /// node() is the device's: at any time idle() + system() + gone() + the sum of joules_of().
  [[nodiscard]] const EnergyAttribution& shares() const { return shares_; }
  /// Microjoules of the users there are.
  [[nodiscard]] const std::map<DeviceUser, std::uint64_t>& users() const { return charged_; }
  [[nodiscard]] std::uint64_t losses() const { return losses_; }
  [[nodiscard]] DeviceClock::time_point last() const { return last_; }

  /// `read`, but never falling when the driver begins to count anew.
  [[nodiscard]] std::uint64_t steady(stats::StatId stat, std::string_view which, std::uint64_t read) {
    constexpr bool kAnew = true;
    return counters_[{stat, which}].next(read, kAnew);
  }

 private:
  struct Work {
    std::uint64_t busy = 0;  // rounds, in billionths
    DeviceClock::time_point last;
  };

  void share(const DeviceValues& values, const DeviceUses& uses, std::uint64_t uj,
             DeviceClock::time_point now);

  std::chrono::milliseconds keep_;
  DeviceEnergy energy_;
  EnergyAttribution shares_;
  CpuTime worked_{.busy = 0, .idle = 0};  // of the device; rounds, in billionths
  std::map<DeviceUser, Work> work_;
  std::map<DeviceUser, std::uint64_t> charged_;
  std::map<std::pair<stats::StatId, std::string_view>, SteadyCounter> counters_;  // by literals
  std::uint64_t losses_ = 0;
  bool lost_ = false;
  DeviceClock::time_point last_{};
};

}  // namespace flowtap::telemetry
