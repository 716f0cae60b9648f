#include "telemetry/devices/nvml.hpp"

#include <algorithm>
#include <array>

#include "telemetry/devices/printable_label.hpp"

namespace flowtap::telemetry {
namespace {

constexpr unsigned kMostDevices = 256;
constexpr unsigned kMostEvents = 10'000;  // in one go
// To measure PCIe takes 40 ms a device. Drivers that count its bytes need none of it.
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
  if (events_ != nullptr && library_->call().event_set_free != nullptr)
    library_->call().event_set_free(events_);
  events_ = nullptr;
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
  nvml::Look look{.unread = unread};
  count_ = look.ask<unsigned>(call.count).value_or(0);
  missing_ = count_ == 0 ? "NVML finds no GPU" : "";
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
        std::make_unique<nvml::Gpu>(call, *handle, std::move(identity), kept, most <= kMostMeasured));
  }
  watch_xids();
}

void NvmlVendor::watch_xids() {
  const nvml::Functions& call = library_->call();
  if (call.event_set_create == nullptr || call.register_events == nullptr || call.wait_event == nullptr)
    return;
  if (call.event_set_create(&events_) != nvml::kSuccess) {
    events_ = nullptr;
    return;
  }
  for (const auto& gpu : gpus_) (void)call.register_events(gpu->handle(), nvml::kEventXid, events_);
}

void NvmlVendor::take_xids() {
  if (events_ == nullptr) return;
  for (unsigned i = 0; i < kMostEvents; ++i) {
    nvml::EventData event{};
    if (library_->call().wait_event(events_, &event, 0) != nvml::kSuccess) return;
    if ((event.type & nvml::kEventXid) == 0) continue;
    const auto at = std::ranges::find(gpus_, event.device, [](const auto& gpu) { return gpu->handle(); });
    if (at != gpus_.end()) (*at)->kept().count_xid(event.data);
  }
}

bool NvmlVendor::stale(DeviceClock::time_point now) const {
  unsigned count = 0;
  if (library_->call().count(&count) == nvml::kSuccess && count != count_) return true;
  const bool lost = std::ranges::any_of(gpus_, [](const auto& gpu) { return gpu->lost(); });
  return (lost || gpus_.size() < std::min(count_, kMostDevices) || count_ == 0) && now - tried_ >= kRetry;
}

std::vector<Device*> NvmlVendor::devices(DeviceClock::time_point now, std::uint64_t& unread) {
  if (library_ && stale(now)) {
    take_xids();
    close();
    open(now, unread);
  } else if (!library_ && (tried_ == DeviceClock::time_point{} || now - tried_ >= kRetry)) {
    open(now, unread);
  }
  std::vector<Device*> all;
  if (!library_) return all;
  take_xids();
  for (const auto& gpu : gpus_) all.push_back(gpu.get());
  return all;
}

}  // namespace flowtap::telemetry
