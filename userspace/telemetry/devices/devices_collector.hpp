// GPUs and other accelerators of all vendors, and whose the work on them is.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "telemetry/collector.hpp"
#include "telemetry/devices/device.hpp"
#include "telemetry/devices/device_ledger.hpp"
#include "telemetry/devices/device_names.hpp"

namespace flowtap::telemetry {

/// What a person is told of the devices, from the collector to the status. Thread-safe.
class DeviceBoard {
 public:
  void post(std::string line);
  /// "GPU: 2 by nvml"; "GPU: no libnvidia-ml.so.1"; empty before the first look.
  [[nodiscard]] std::string read() const;

 private:
  mutable std::mutex mutex_;
  std::string line_;
};

class DevicesCollector final : public Collector {
 public:
  using Now = DeviceClock::time_point (*)();

  /// `names`: null where nobody knows processes: they are unknown then. Workloads and devices that are gone are forgotten after
  /// `keep`. `now` is for tests.
  DevicesCollector(std::vector<std::unique_ptr<DeviceVendor>> vendors, std::unique_ptr<ProcessNames> names,
                   std::shared_ptr<DeviceBoard> board, std::chrono::milliseconds keep,
                   Now now = &DeviceClock::now)
      : vendors_(std::move(vendors)),
        processes_(std::move(names)),
        board_(std::move(board)),
        keep_(keep),
        now_(now) {}

  [[nodiscard]] std::string_view name() const override { return "devices"; }
  void collect(Collected& out) override;

 private:
  void read(Device& device, DeviceClock::time_point now, Collected& out);

  std::vector<std::unique_ptr<DeviceVendor>> vendors_;
  KnownProcesses processes_;
  std::shared_ptr<DeviceBoard> board_;
  std::chrono::milliseconds keep_;
  Now now_;
  std::map<std::array<std::string, 3>, DeviceLedger> ledgers_;  // by the labels of all series
};

}  // namespace flowtap::telemetry
