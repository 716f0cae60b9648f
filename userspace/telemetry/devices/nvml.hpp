// NVIDIA's GPUs, by NVML.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/nvml_device.hpp"
#include "telemetry/devices/nvml_library.hpp"

namespace flowtap::telemetry {

/// Opens the library when it is asked first, and again each kRetry as long as that fails, as drivers come late to a node; anew
/// also when a GPU is lost (after its reset only a library that is opened anew sees it), or their number changes.
class NvmlVendor final : public DeviceVendor {
 public:
  static constexpr std::chrono::seconds kRetry{60};

  /// `paths`: where the library may be (nvml::library_paths()).
  explicit NvmlVendor(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  ~NvmlVendor() override { close(); }

  [[nodiscard]] std::string_view source() const override { return "nvml"; }
  [[nodiscard]] std::vector<Device*> devices(DeviceClock::time_point now, std::uint64_t& unread) override;
  [[nodiscard]] std::string missing() const override { return missing_; }

 private:
  void open(DeviceClock::time_point now, std::uint64_t& unread);
  void close();
  void watch_xids();
  void take_xids();
  [[nodiscard]] bool stale(DeviceClock::time_point now) const;

  std::vector<std::string> paths_;
  std::string missing_;
  std::unique_ptr<nvml::Library> library_;
  nvml::EventSet events_ = nullptr;
  unsigned count_ = 0;  // as the library said when it was opened
  std::vector<std::unique_ptr<nvml::Gpu>> gpus_;
  std::map<std::string, nvml::Kept> kept_;  // by address
  DeviceClock::time_point tried_{};
};

}  // namespace flowtap::telemetry
