// One NVIDIA GPU, as NVML describes it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/nvml/nvml_call.hpp"
#include "telemetry/devices/nvml/nvml_library.hpp"
#include "telemetry/devices/nvml/nvml_pcie.hpp"
#include "telemetry/devices/nvml/nvml_samples.hpp"

namespace flowtap::telemetry::nvml {

inline constexpr unsigned kMostCelsius = 250;

/// What stays of a GPU when the library is closed and opened again.
struct Kept {
  ProcessSamples samples;
  std::array<PcieCounter, 2> pcie;                          ///< transmit, receive
  std::map<std::string, std::uint64_t> xids{{"other", 0}};  ///< by number; other: beyond 64 of them
  std::optional<std::uint64_t> last_xid;                    ///< number of the last one
  bool nvlink_in_kib = false;                               ///< which NVLink counter the driver has

  void count_xid(std::uint64_t xid);
};

class Gpu final : public Device {
 public:
  /// `kept` and the library outlive it. `rates`: PCIe may be measured, which takes 20 ms in each direction.
  Gpu(const Functions& call, Handle handle, DeviceIdentity identity, Kept& kept, bool rates, WallClock wall)
      : call_(call),
        handle_(handle),
        identity_(std::move(identity)),
        kept_(kept),
        rates_(rates),
        wall_(wall) {}

  [[nodiscard]] const DeviceIdentity& identity() const override { return identity_; }
  [[nodiscard]] DeviceValues read(DeviceClock::time_point now, std::uint64_t& unread) override;

  [[nodiscard]] Handle handle() const { return handle_; }
  [[nodiscard]] Kept& kept() { return kept_; }
  /// Unless its Xids are watched, it reports none.
  void set_xids_watched(bool watched) { xids_watched_ = watched; }
  [[nodiscard]] bool xids_watched() const { return xids_watched_; }
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  void read_load(Look& look, DeviceValues& out) const;
  void read_memory(Look& look, DeviceValues& out) const;
  void read_power(Look& look, DeviceValues& out) const;
  void read_errors(Look& look, DeviceValues& out) const;
  void read_fields(Look& look, DeviceClock::time_point now, DeviceValues& out) const;
  [[nodiscard]] std::optional<double> link(Look& look) const;
  void read_rates(Look& look, DeviceValues& out) const;

  const Functions& call_;
  Handle handle_;
  DeviceIdentity identity_;
  Kept& kept_;
  bool rates_;
  WallClock wall_;
  bool xids_watched_ = false;
  bool lost_ = false;
};

/// Name and address of a device; `index` replaces what it does not tell.
[[nodiscard]] DeviceIdentity identify(const Functions& call, Handle handle, unsigned index);

/// "NVIDIA A100-SXM4-40GB"; empty where the device does not tell. Printable, whatever the library wrote.
[[nodiscard]] std::string text_of(GetText* function, Handle handle);

/// The MIG instances of a GPU; none where it has none.
[[nodiscard]] std::vector<DeviceInstance> read_instances(const Functions& call, Handle gpu, Look& look);

}  // namespace flowtap::telemetry::nvml
