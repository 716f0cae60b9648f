// Which processes use an NVIDIA GPU, and how much.
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/nvml_library.hpp"

namespace flowtap::telemetry::nvml {

/// All that compute, draw, or compute through MPS on the device, each once per MIG instance. `seen` is the time of the newest
/// sample of utilization that was taken, and moves on: samples are of the time since then. `lost` is set where the device is.
[[nodiscard]] std::vector<DeviceProcess> read_processes(const Functions& call, Handle device,
                                                        std::uint64_t& seen, bool& lost,
                                                        std::uint64_t& unread);

/// "7/0"; empty without MIG.
[[nodiscard]] std::string instance_name(unsigned gpu, unsigned compute);

}  // namespace flowtap::telemetry::nvml
