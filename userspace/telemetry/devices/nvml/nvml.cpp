#include "telemetry/devices/nvml/nvml.hpp"

#include <algorithm>
#include <array>

#include "telemetry/devices/printable_label.hpp"

namespace flowtap::telemetry {
namespace {

constexpr unsigned kMostDevices = 256;
// Measuring PCIe takes 40 ms a device. Drivers that count its bytes make that unnecessary.
constexpr std::size_t kMostMeasured = 4;

std::string driver_of(const nvml::Functions& call) {
  std::array<char, 97> text{};
  const bool told =
      call.driver_version != nullptr && call.driver_version(text.data(), text.size() - 1) == nvml::kSuccess;
  return told ? printable_label(text.data()) : std::string();
}

}  // namespace

void NvmlVendor::close() {
  gpus_.clear();
  xids_.reset();
  library_.reset();
}

void NvmlVendor::open(DeviceClock::time_point now, std::uint64_t& unread) {
  tried_ = now;
  auto library = nvml::Library::open(paths_);
  if (!library) {
    missing_ = std::move(library.error().what);
    return;
  }
  library_ = std::move(*library);
  const nvml::Functions& call = library_->call();
  count_ = 0;
  const int counting = call.count(&count_);
  missing_ = count_ == 0 ? "NVML finds no GPU" : "";
  if (counting != nvml::kSuccess) {
    ++unread;
    count_ = 0;
    missing_ = "NVML cannot tell which GPUs there are (" + std::to_string(counting) + ")";
  }
  const std::string driver = driver_of(call);
  const unsigned most = std::min(count_, kMostDevices);
  for (unsigned i = 0; i < most; ++i) {
    nvml::Look one{.unread = unread};
    const auto handle = one.ask<nvml::Handle>(call.handle, i);
    if (!handle) continue;
    DeviceIdentity identity = nvml::identify(call, *handle, i);
    identity.driver = driver;
    nvml::Kept& kept = kept_[identity.device];
    gpus_.push_back(
        std::make_unique<nvml::Gpu>(call, *handle, std::move(identity), kept, most <= kMostMeasured, wall_));
  }
  if (gpus_.empty() && count_ > 0)
    missing_ = "NVML gives access to none of " + std::to_string(count_) + " GPUs";
  watch_xids(unread);
}

void NvmlVendor::watch_xids(std::uint64_t& unread) {
  if (gpus_.empty()) return;
  xids_ = std::make_unique<nvml::XidWatch>(library_->call(), unread);
  for (const auto& gpu : gpus_) gpu->set_xids_watched(xids_->watch(gpu->handle(), unread));
  const auto not_watched = std::ranges::count_if(gpus_, [](const auto& gpu) { return !gpu->xids_watched(); });
  if (not_watched > 0) missing_ = "Xid not watched on " + std::to_string(not_watched);
}

void NvmlVendor::take_xids(std::uint64_t& unread) {
  if (!xids_) return;
  xids_->take(
      [this](nvml::Handle device, std::uint64_t xid) {
        const auto at = std::ranges::find(gpus_, device, [](const auto& gpu) { return gpu->handle(); });
        if (at != gpus_.end()) (*at)->kept().count_xid(xid);
      },
      unread);
}

bool NvmlVendor::stale(DeviceClock::time_point now) const {
  unsigned count = 0;
  if (library_->call().count(&count) == nvml::kSuccess && count != count_) return true;
  const bool lost = std::ranges::any_of(gpus_, [](const auto& gpu) { return gpu->lost(); });
  return (lost || gpus_.size() < std::min(count_, kMostDevices) || count_ == 0) && now - tried_ >= kRetry;
}

std::vector<Device*> NvmlVendor::devices(DeviceClock::time_point now, std::uint64_t& unread) {
  if (library_ && stale(now)) {
    take_xids(unread);
    close();
    open(now, unread);
  } else if (!library_ && (tried_ == DeviceClock::time_point{} || now - tried_ >= kRetry)) {
    open(now, unread);
  }
  std::vector<Device*> all;
  if (!library_) return all;
  take_xids(unread);
  for (const auto& gpu : gpus_) all.push_back(gpu.get());
  return all;
}

}  // namespace flowtap::telemetry
