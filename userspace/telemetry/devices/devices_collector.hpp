// GPUs and other accelerators of one vendor, and who makes them work.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "telemetry/collecting/collector.hpp"
#include "telemetry/devices/device.hpp"
#include "telemetry/devices/device_ledger.hpp"
#include "telemetry/devices/device_names.hpp"
#include "telemetry/energy/device_joules.hpp"

namespace flowtap::telemetry {

/// What a person is told about the devices, from the vendors' collectors to the status. Thread-safe.
class DeviceBoard {
 public:
  /// `told` is the vendor's part of the line; empty where there is nothing to say.
  void post(std::string_view source, std::string told);
  /// "GPU: 2 by nvml"; "GPU: no libnvidia-ml.so.1"; empty before the first look.
  [[nodiscard]] std::string read() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> told_;  // by source
};

/// Each vendor has one, because a driver that hangs takes with it whatever is read beside it.
class DevicesCollector final : public Collector {
 public:
  using Now = DeviceClock::time_point (*)();

  /// `names`: null where nobody knows processes; they are unknown then. Workloads and devices that are gone are
  /// forgotten after `keep`. `now` is for tests. `joules`, which may be null, is also told what devices use.
  DevicesCollector(std::unique_ptr<DeviceVendor> vendor, std::unique_ptr<ProcessNames> names,
                   std::shared_ptr<DeviceBoard> board, std::chrono::milliseconds keep,
                   Now now = &DeviceClock::now, std::shared_ptr<DeviceJoules> joules = nullptr)
      : vendor_(std::move(vendor)),
        processes_(std::move(names)),
        board_(std::move(board)),
        keep_(keep),
        now_(now),
        joules_(std::move(joules)) {}

  [[nodiscard]] std::string_view name() const override { return vendor_->collector(); }
  void collect(Collected& out) override;

 private:
  void read(Device& device, DeviceClock::time_point now, Collected& out);

  std::unique_ptr<DeviceVendor> vendor_;
  KnownProcesses processes_;
  std::shared_ptr<DeviceBoard> board_;
  std::chrono::milliseconds keep_;
  Now now_;
  std::shared_ptr<DeviceJoules> joules_;
  std::map<std::array<std::string, 3>, DeviceLedger> ledgers_;  // by the labels of all series
};

}  // namespace flowtap::telemetry
