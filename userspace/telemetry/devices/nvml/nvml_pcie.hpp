// Bytes over PCIe, out of a counter that wraps.
#pragma once

#include <cstdint>
#include <optional>

#include "telemetry/devices/device.hpp"

namespace flowtap::telemetry::nvml {

/// NVML says of its counter of bytes that it may wrap, not where; cards show values just below 2^32, which a link of 16 lanes has
/// passed in 68 ms (of the fifth generation) to a second (of the first). So one that has never been beyond counts only where the
/// link is too slow to take it round unseen from one look to the next.
class PcieCounter {
 public:
  /// Bytes since the first look; absent where some may have been missed since the last one. `wide`: the driver says that it is of
  /// 64 bits. `most`: bytes in a second that the link can take; absent where that is not known.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t read, bool wide, std::optional<double> most,
                                                  DeviceClock::time_point now);

 private:
  std::optional<std::uint64_t> last_;
  DeviceClock::time_point at_{};
  std::uint64_t counted_ = 0;
  bool wide_ = false;  // it has been beyond 2^32
};

/// What a link takes at most, in bytes a second and direction; absent for what is no link.
[[nodiscard]] std::optional<double> pcie_most(unsigned generation, unsigned lanes);

}  // namespace flowtap::telemetry::nvml
