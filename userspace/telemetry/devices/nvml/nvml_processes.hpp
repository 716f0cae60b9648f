// Which processes use an NVIDIA GPU, and how much.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/nvml/nvml_library.hpp"
#include "telemetry/devices/nvml/nvml_samples.hpp"

namespace flowtap::telemetry::nvml {

/// All processes that compute, draw, or compute through MPS on the device, each once per MIG instance, and those that
/// made it work since the last look and then ended. `utilization` is the device's.
[[nodiscard]] std::vector<DeviceProcess> read_processes(const Functions& call, Handle device,
                                                        ProcessSamples& samples, const Moment& now,
                                                        std::optional<double> utilization, Look& look);

/// "7/0"; empty without MIG.
[[nodiscard]] std::string instance_name(unsigned gpu, unsigned compute);

}  // namespace flowtap::telemetry::nvml
