// GPUs that the kernel's DRM drives, as /sys/class/drm shows them, and their sensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/devices/device.hpp"

namespace flowtap::telemetry {

struct DrmCard {
  std::string card;      ///< /sys/class/drm/card0
  std::string device;    ///< its device/: the PCI device
  std::string address;   ///< "0000:03:00.0"
  std::string driver;    ///< "amdgpu"
  std::string model_id;  ///< PCI device id, "0x744c"
};

/// The cards of a PCI vendor ("0x1002"), below `sysfs`.
[[nodiscard]] std::vector<DrmCard> drm_cards(const std::string& sysfs, std::string_view vendor,
                                             std::uint64_t& unread);

/// The card sleeps: any question would wake it.
[[nodiscard]] bool is_suspended(const DrmCard& card);

/// What its sensors tell (Documentation/hwmon/sysfs-interface.rst): power, its limit, an energy counter, temperatures, clocks.
void read_card_sensors(const DrmCard& card, DeviceValues& out, std::uint64_t& unread);

/// A percentage from a file, as a ratio; a value over 100 is counted, and absent.
[[nodiscard]] std::optional<double> read_percent(const std::string& path, std::uint64_t& unread);

}  // namespace flowtap::telemetry
