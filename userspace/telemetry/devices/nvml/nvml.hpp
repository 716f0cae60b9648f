// NVIDIA's GPUs, by NVML.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/nvml/nvml_device.hpp"
#include "telemetry/devices/nvml/nvml_library.hpp"
#include "telemetry/devices/nvml/nvml_xids.hpp"

namespace flowtap::telemetry {

/// Opens the library at the first question, and tries again after each kRetry as long as that fails, because drivers
/// come late to a node. It also opens the library anew when a GPU is lost (after its reset only a newly opened library
/// sees it), or when their number changes.
class NvmlVendor final : public DeviceVendor {
 public:
  static constexpr std::chrono::seconds kRetry{60};

  /// `paths`: where the library may be (nvml::library_paths()). `wall` is for tests.
  explicit NvmlVendor(std::vector<std::string> paths, nvml::WallClock wall = &nvml::wall_now)
      : paths_(std::move(paths)), wall_(wall) {}
  ~NvmlVendor() override { close(); }

  [[nodiscard]] std::string_view source() const override { return "nvml"; }
  [[nodiscard]] std::string_view collector() const override { return "devices_nvidia"; }
  [[nodiscard]] std::vector<Device*> devices(DeviceClock::time_point now, std::uint64_t& unread) override;
  [[nodiscard]] std::string missing() const override { return missing_; }

 private:
  void open(DeviceClock::time_point now, std::uint64_t& unread);
  void close();
  void watch_xids(std::uint64_t& unread);
  void take_xids(std::uint64_t& unread);
  [[nodiscard]] bool stale(DeviceClock::time_point now) const;

  std::vector<std::string> paths_;
  nvml::WallClock wall_;
  std::string missing_;
  std::unique_ptr<nvml::Library> library_;
  std::unique_ptr<nvml::XidWatch> xids_;
  unsigned count_ = 0;  // what the library said when it was opened
  std::vector<std::unique_ptr<nvml::Gpu>> gpus_;
  std::map<std::string, nvml::Kept> kept_;  // by address
  DeviceClock::time_point tried_{};
};

}  // namespace flowtap::telemetry
