// A vendor whose GPUs the kernel's DRM drives: all there is to know stands in files.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/drm_cards.hpp"
#include "telemetry/devices/drm_clients.hpp"

namespace flowtap::telemetry {

/// What one vendor's drivers have and others do not: literals and functions.
struct CardKind {
  std::string_view source;     ///< "amdgpu"
  std::string_view collector;  ///< "devices_amd"
  std::string_view vendor;     ///< "amd"
  std::string_view pci_id;     ///< "0x1002"
  std::string (*uuid)(const DrmCard& card);
  void (*read)(const DrmCard& card, DeviceValues& out, std::uint64_t& unread);
};

class CardVendor final : public DeviceVendor {
 public:
  /// `sysfs` and `proc` are the node's. Each vendor looks for processes by itself, since a thread of its own reads it.
  CardVendor(const CardKind& kind, std::string sysfs, std::string proc)
      : kind_(kind), sysfs_(std::move(sysfs)), clients_(std::move(proc)) {}

  [[nodiscard]] std::string_view source() const override { return kind_.source; }
  [[nodiscard]] std::string_view collector() const override { return kind_.collector; }
  [[nodiscard]] std::vector<Device*> devices(DeviceClock::time_point now, std::uint64_t& unread) override;

 private:
  CardKind kind_;
  std::string sysfs_;
  DrmClients clients_;
  std::vector<std::unique_ptr<Device>> cards_;
};

}  // namespace flowtap::telemetry
