// One NVIDIA GPU, as NVML tells of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/nvml_call.hpp"
#include "telemetry/devices/nvml_library.hpp"

namespace flowtap::telemetry::nvml {

/// What stays of a GPU when the library is closed and opened again.
struct Kept {
  std::uint64_t samples_seen = 0;  ///< time of the newest sample of a process
  std::map<std::string, std::uint64_t> xids;

  void count_xid(std::uint64_t xid);
};

class Gpu final : public Device {
 public:
  /// `kept` and the library outlive it. `rates`: PCIe may be measured, which takes 20 ms each way.
  Gpu(const Functions& call, Handle handle, DeviceIdentity identity, Kept& kept, bool rates)
      : call_(call), handle_(handle), identity_(std::move(identity)), kept_(kept), rates_(rates) {}

  [[nodiscard]] const DeviceIdentity& identity() const override { return identity_; }
  [[nodiscard]] DeviceValues read(DeviceClock::time_point now, std::uint64_t& unread) override;

  [[nodiscard]] Handle handle() const { return handle_; }
  [[nodiscard]] Kept& kept() { return kept_; }
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  void read_load(Look& look, DeviceValues& out) const;
  void read_memory(Look& look, DeviceValues& out) const;
  void read_power(Look& look, DeviceValues& out) const;
  void read_errors(Look& look, DeviceValues& out) const;
  void read_fields(Look& look, DeviceValues& out) const;
  void read_rates(Look& look, DeviceValues& out) const;

  const Functions& call_;
  Handle handle_;
  DeviceIdentity identity_;
  Kept& kept_;
  bool rates_;
  bool lost_ = false;
};

/// Name and address of a device; `index` stands in for what it does not tell.
[[nodiscard]] DeviceIdentity identify(const Functions& call, Handle handle, unsigned index);

/// "NVIDIA A100-SXM4-40GB"; empty where the device does not tell. Printable, whatever the library wrote.
[[nodiscard]] std::string text_of(GetText* function, Handle handle);

/// The MIG instances of a GPU, none where it has none.
[[nodiscard]] std::vector<DeviceInstance> read_instances(const Functions& call, Handle gpu, Look& look);

}  // namespace flowtap::telemetry::nvml
