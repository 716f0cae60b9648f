// Xid: the critical errors that NVIDIA's driver reports, as events.
#pragma once

#include <cstdint>
#include <functional>

#include "telemetry/devices/nvml/nvml_library.hpp"

namespace flowtap::telemetry::nvml {

/// The events of the devices that are watched. A driver or a platform (WSL, a virtual GPU) may refuse to be watched.
class XidWatch {
 public:
  /// `call` outlives it. Failures are counted in `unread`, here and by watch().
  XidWatch(const Functions& call, std::uint64_t& unread);
  ~XidWatch();
  XidWatch(const XidWatch&) = delete;
  XidWatch& operator=(const XidWatch&) = delete;

  /// False: it will not hear about errors of this device.
  [[nodiscard]] bool watch(Handle device, std::uint64_t& unread);
  /// Hands over what was reported since the last time.
  void take(const std::function<void(Handle, std::uint64_t xid)>& report, std::uint64_t& unread);

 private:
  const Functions& call_;
  EventSet events_ = nullptr;
  bool any_ = false;  // is watched
};

}  // namespace flowtap::telemetry::nvml
