// Bytes over PCIe, from a counter that wraps.
#pragma once

#include <cstdint>
#include <optional>

#include "telemetry/devices/device.hpp"

namespace flowtap::telemetry::nvml {

/// NVML says that its counter of bytes may wrap, but not where. Cards show values just below 2^32, and a link of 16
/// lanes passes that many bytes in 68 ms (fifth generation) to a second (first). So a counter that has never been
/// beyond 2^32 counts only where the link is too slow to take it round unseen from one look to the next.
class PcieCounter {
 public:
  /// Bytes since the first look; absent where some may have been missed since the last one. `wide`: the driver says
  /// that the counter has 64 bits. `most`: how many bytes a second the link can carry; absent where that is not known.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t read, bool wide, std::optional<double> most,
                                                  DeviceClock::time_point now);

 private:
  std::optional<std::uint64_t> last_;
  DeviceClock::time_point at_{};
  std::uint64_t counted_ = 0;
  bool wide_ = false;  // it has been beyond 2^32
};

/// What a link carries at most, in bytes a second and direction; absent where it is no link.
[[nodiscard]] std::optional<double> pcie_most(unsigned generation, unsigned lanes);

}  // namespace flowtap::telemetry::nvml
