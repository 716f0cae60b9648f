// What is kept about one device from round to round: its energy and who used it, its losses, its counters across their
// resets.
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

  /// Whatever one of its processes does not tell is missing from the sum. Ratios end at 1.
  void add(const DeviceProcess& process);
};

using DeviceUses = std::map<DeviceUser, DeviceUse>;

class DeviceLedger {
 public:
  /// Users that are not seen for `keep` have ended.
  explicit DeviceLedger(std::chrono::milliseconds keep) : keep_(keep) {}

  /// Each round divides the device's energy. The part of the time in which nothing ran on it is idle. Of the rest each
  /// user gets the share that its utilization has in the device's, and what is left belongs to nobody. Where the device
  /// does not tell how much it worked, its users' work is taken for all.
  void round(const DeviceValues& values, const DeviceUses& uses, DeviceClock::time_point now);

  [[nodiscard]] const DeviceEnergy& energy() const { return energy_; }
  /// node() is the device: at any time idle() + system() + gone() + the sum of users().
  [[nodiscard]] const EnergyAttribution& shares() const { return shares_; }
  /// The microjoules of each current user.
  [[nodiscard]] const std::map<DeviceUser, std::uint64_t>& users() const { return charged_; }
  [[nodiscard]] std::uint64_t losses() const { return losses_; }
  [[nodiscard]] DeviceClock::time_point last() const { return last_; }

  /// Takes `read`, but never falls when the driver begins to count anew.
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
